#include "shim/cli/heal_trace.h"
#include "shim/cli/heal_code.h"

#include <elf.h>
#include <errno.h>
#include <linux/rseq.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NEVER UINT64_MAX
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
static int peek(pid_t tid, bool block, siginfo_t *ret_info)
{
    ret_info->si_pid = 0;
    int result;
    do {
        result = waitid(P_PID, (id_t)tid, ret_info,
                        WSTOPPED | WEXITED | WNOWAIT | __WALL | (block ? 0 : WNOHANG));
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
        return (struct heal_stopped){STOP_ASKED, 0};
    }
    if (signal == (SIGTRAP | 0x80)) {
        return (struct heal_stopped){STOP_SYSCALL, 0};
    }
    return (struct heal_stopped){STOP_SIGNAL, signal};
}

int heal_await(pid_t tid, uint64_t deadline_ns, struct heal_stopped *ret_stopped)
{
    static const struct timespec nap = {0, 50000};
    siginfo_t info;
    int result;
    for (unsigned tries = 0; (result = peek(tid, deadline_ns == NEVER, &info)) == 0; tries++) {
        if (heal_clock_ns() > deadline_ns) {
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
    return 0;
}

void heal_release(pid_t tid, const struct heal_stopped *stopped)
{
    (void)request(PTRACE_DETACH, tid, 0,
                  stopped->stop == STOP_SIGNAL ? (uintptr_t)stopped->signal : 0);
}

int heal_get_registers(pid_t tid, struct user_regs_struct *ret_registers)
{
    struct user_regs_struct registers;
    struct iovec vector = {&registers, sizeof(registers)};
    int result = request(PTRACE_GETREGSET, tid, NT_PRSTATUS, (uintptr_t)&vector);
    if (result == 0 && vector.iov_len != sizeof(registers)) {
        result = -ENOTSUP; /* a thread in 32-bit mode */
    }
    if (result == 0) {
        *ret_registers = registers;
    }
    return result;
}

int heal_set_registers(pid_t tid, const struct user_regs_struct *registers)
{
    struct iovec vector = {(void *)(uintptr_t)registers, sizeof(*registers)};
    return request(PTRACE_SETREGSET, tid, NT_PRSTATUS, (uintptr_t)&vector);
}

int heal_get_mask(pid_t tid, uint64_t *ret_mask)
{
    return request(PTRACE_GETSIGMASK, tid, sizeof(*ret_mask), (uintptr_t)ret_mask);
}

int heal_set_mask(pid_t tid, uint64_t mask)
{
    return request(PTRACE_SETSIGMASK, tid, sizeof(mask), (uintptr_t)&mask);
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

int heal_follow(pid_t tid)
{
    bool behind = false; /* the marker was seen, and the thread asked to stop */
    struct heal_stopped stopped = {STOP_ASKED, 0};
    for (;;) {
        struct user_regs_struct registers;
        /* A signal can only be SIGSTOP: the others are held back. It takes effect when the
         * thread is let go. */
        int result = request(behind ? PTRACE_CONT : PTRACE_SYSCALL, tid, 0,
                             stopped.stop == STOP_SIGNAL ? (uintptr_t)stopped.signal : 0);
        if (result == 0) {
            result = heal_await(tid, NEVER, &stopped);
        }
        if (result != 0) {
            return result;
        }
        if (stopped.stop == STOP_ASKED && behind) {
            return 0;
        }
        if (stopped.stop != STOP_SYSCALL || behind) {
            continue;
        }
        result = heal_get_registers(tid, &registers);
        if (result == 0 && heal_code_system_call(&registers) == heal_code_marker) {
            result = request(PTRACE_INTERRUPT, tid, 0, 0);
            behind = true;
        }
        if (result != 0) {
            return result;
        }
    }
}
