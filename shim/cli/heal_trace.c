#include "shim/cli/heal_trace.h"

#include <elf.h>
#include <errno.h>
#include <linux/rseq.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What a thread that has stopped reports beside the signal: bits 8 and up of its status. */
#define EVENT_SHIFT 8
/* A thread that waits stops at once, and one that runs as soon as it is noticed. */
#define YIELDS 20

uint64_t heal_clock_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static int request(enum __ptrace_request what, pid_t tid, uintptr_t address, uintptr_t data)
{
    return ptrace(what, tid, (void *)address, (void *)data) == -1 ? -errno : 0;
}

int heal_seize(pid_t tid)
{
    int result = request(PTRACE_SEIZE, tid, 0, PTRACE_O_TRACESYSGOOD);
    return result != 0 ? result : request(PTRACE_INTERRUPT, tid, 0, 0);
}

/* 1: there is something to tell; 0: not yet; -errno. */
static int peek(pid_t tid, siginfo_t *ret_info)
{
    ret_info->si_pid = 0;
    int result;
    do {
        result =
            waitid(P_PID, (id_t)tid, ret_info, WSTOPPED | WEXITED | WNOWAIT | __WALL | WNOHANG);
    } while (result != 0 && errno == EINTR);
    if (result != 0) {
        return errno == ECHILD ? -ESRCH : -errno;
    }
    return ret_info->si_pid != 0;
}

/* A thread that has ended stays until its tracer has taken note. */
static int take_note_of_end(pid_t tid)
{
    siginfo_t info;
    (void)waitid(P_PID, (id_t)tid, &info, WEXITED | __WALL | WNOHANG);
    return -ESRCH;
}

static struct heal_stopped understand(int status)
{
    int signal = status & 0xff;
    if (status >> EVENT_SHIFT == PTRACE_EVENT_STOP) {
        return (struct heal_stopped){.stop = STOP_ASKED};
    }
    if (signal == (SIGTRAP | 0x80)) {
        return (struct heal_stopped){.stop = STOP_SYSCALL};
    }
    return (struct heal_stopped){.stop = STOP_SIGNAL, .signal = signal};
}

int heal_await(pid_t tid, uint64_t deadline_ns, struct heal_stopped *ret_stopped)
{
    static const struct timespec nap = {0, 50000};
    uint64_t now = heal_clock_ns();
    siginfo_t info;
    int result;
    for (unsigned tries = 0; (result = peek(tid, &info)) == 0; tries++) {
        now = heal_clock_ns();
        if (now > deadline_ns) {
            return -ETIMEDOUT;
        }
        if (tries < YIELDS) {
            (void)sched_yield();
        } else {
            (void)nanosleep(&nap, NULL);
        }
    }
    if (result < 0) {
        return result;
    }
    if (info.si_code != CLD_TRAPPED && info.si_code != CLD_STOPPED) {
        return take_note_of_end(tid);
    }
    *ret_stopped = understand(info.si_status);
    ret_stopped->since_ns = now;
    return 0;
}

static uintptr_t signal_of(const struct heal_stopped *stopped)
{
    return stopped->stop == STOP_SIGNAL ? (uintptr_t)stopped->signal : 0;
}

int heal_go_on(pid_t tid, const struct heal_stopped *stopped, bool until_call)
{
    return request(until_call ? PTRACE_SYSCALL : PTRACE_CONT, tid, 0, signal_of(stopped));
}

int heal_interrupt(pid_t tid)
{
    return request(PTRACE_INTERRUPT, tid, 0, 0);
}

int heal_release(pid_t tid, const struct heal_stopped *stopped)
{
    return request(PTRACE_DETACH, tid, 0, signal_of(stopped));
}

int heal_get_set(pid_t tid, int set, void *ret_registers, size_t size)
{
    struct iovec vector = {ret_registers, size};
    int result = request(PTRACE_GETREGSET, tid, (uintptr_t)set, (uintptr_t)&vector);
    return result == 0 && vector.iov_len != size ? -ENOTSUP : result;
}

int heal_put_set(pid_t tid, int set, const void *registers, size_t size)
{
    struct iovec vector = {(void *)(uintptr_t)registers, size};
    return request(PTRACE_SETREGSET, tid, (uintptr_t)set, (uintptr_t)&vector);
}

int heal_get_mask(pid_t tid, uint64_t *ret_mask)
{
    return request(PTRACE_GETSIGMASK, tid, sizeof(*ret_mask), (uintptr_t)ret_mask);
}

int heal_set_mask(pid_t tid, uint64_t mask)
{
    return request(PTRACE_SETSIGMASK, tid, sizeof(mask), (uintptr_t)&mask);
}

int heal_get_nice(pid_t tid, int *ret_nice)
{
    errno = 0;
    int nice = getpriority(PRIO_PROCESS, (id_t)tid);
    if (errno != 0) {
        return -errno;
    }
    *ret_nice = nice;
    return 0;
}

int heal_set_nice(pid_t tid, int nice)
{
    return setpriority(PRIO_PROCESS, (id_t)tid, nice) != 0 ? -errno : 0;
}

int heal_write(pid_t tid, uint64_t address, const void *bytes, size_t size)
{
    struct iovec local = {(void *)(uintptr_t)bytes, size};
    struct iovec remote = {(void *)(uintptr_t)address, size};
    ssize_t length = process_vm_writev(tid, &local, 1, &remote, 1, 0);
    if (length < 0) {
        return -errno;
    }
    return (size_t)length == size ? 0 : -EFAULT;
}

int heal_write_code(pid_t tid, uint64_t address, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i += sizeof(long)) {
        unsigned long word, before;
        memcpy(&word, (const unsigned char *)bytes + i, sizeof(word));
        errno = 0;
        before =
            (unsigned long)ptrace(PTRACE_PEEKDATA, tid, (void *)(uintptr_t)(address + i), NULL);
        if (errno != 0) {
            return -errno;
        }
        if (before == word) {
            continue;
        }
        int result = request(PTRACE_POKEDATA, tid, address + i, word);
        if (result != 0) {
            return result;
        }
    }
    return 0;
}

#ifdef PTRACE_GET_RSEQ_CONFIGURATION
bool heal_in_sequence(pid_t tid)
{
    struct __ptrace_rseq_configuration rseq;
    uint64_t sequence = 0;
    if (request(PTRACE_GET_RSEQ_CONFIGURATION, tid, sizeof(rseq), (uintptr_t)&rseq) != 0) {
        return true;
    }
    if (rseq.rseq_abi_pointer == 0) {
        return false;
    }
    struct iovec local = {&sequence, sizeof(sequence)};
    struct iovec remote = {
        (void *)(uintptr_t)(rseq.rseq_abi_pointer + offsetof(struct rseq, rseq_cs)),
        sizeof(sequence)};
    return process_vm_readv(tid, &local, 1, &remote, 1, 0) != (ssize_t)sizeof(sequence) ||
           sequence != 0;
}
#else
bool heal_in_sequence(pid_t tid)
{
    (void)tid;
    return true;
}
#endif
