#if defined(__aarch64__)

/* The arm64 kernel decides what becomes of an interrupted system call before a tracer sees
 * the thread: that it is entered again is in the registers by then, and that a handler was
 * to make it EINTR is nowhere, once the thread has been elsewhere. */
#include "shim/cli/heal_settle.h"
#include "detect/process_memory.h"
#include "shim/cli/heal_code.h"
#include "shim/cli/heal_spare.h"
#include "shim/cli/heal_trip.h"

#include <elf.h>
#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>

#define SVC           UINT32_C(0xd4000001)
#define SIGNALS       64
#define HANDLER_BYTES 32 /* the kernel's struct sigaction; the flags are its second word */
/* Newer than some headers. */
#define NT_SVE  0x405
#define NT_SSVE 0x40b
#define NT_GCS  0x410

static bool is_svc(pid_t tid, uint64_t address)
{
    uint32_t instruction = 0;
    return process_memory_read(tid, address, &instruction, sizeof(instruction)) == 0 &&
           instruction == SVC;
}

static int read_all(pid_t tid, struct heal_registers *ret_registers)
{
    struct heal_registers registers = {.spared = false};
    int result = heal_get_set(tid, NT_PRSTATUS, &registers.general, sizeof(registers.general));
    if (result == 0) {
        result = heal_get_set(tid, NT_PRFPREG, &registers.vector, sizeof(registers.vector));
    }
    if (result == 0) {
        result = heal_get_set(tid, NT_ARM_TLS, &registers.thread_pointer,
                              sizeof(registers.thread_pointer));
    }
    if (result != 0) {
        return result;
    }
    registers.at_call = is_svc(tid, registers.general.pc);
    registers.after_call = is_svc(tid, registers.general.pc - HEAL_SVC_BYTES);
    registers.call = registers.general.regs[8];
    *ret_registers = registers;
    return 0;
}

/* Does the kernel go on with it as restart_syscall, for the rest of the time? */
static bool has_time_left(const struct heal_registers *registers)
{
    const unsigned long long *x = registers->general.regs;
    switch (registers->call) {
    case SYS_nanosleep:
        return true;
    case SYS_clock_nanosleep:
        return (x[1] & TIMER_ABSTIME) == 0;
    case SYS_futex:
        return ((int)x[1] & FUTEX_CMD_MASK) == FUTEX_WAIT && x[3] != 0;
    default:
        return false;
    }
}

/* Has the kernel put restart_syscall into the registers, by going into the call once more. */
static int go_in_again(pid_t tid, struct heal_stopped *stopped, struct heal_registers *registers)
{
    uint64_t call = registers->call;
    int result = heal_go_on(tid, stopped, true);
    if (result == 0) {
        result = heal_await(tid, HEAL_NEVER, stopped);
    }
    if (result == 0 && stopped->stop == STOP_SYSCALL) {
        result = heal_interrupt(tid);
        if (result == 0) {
            result = heal_go_on(tid, stopped, false);
        }
        if (result == 0) {
            result = heal_await(tid, HEAL_NEVER, stopped);
        }
    }
    if (result == 0) {
        result = stopped->stop == STOP_ASKED ? read_all(tid, registers) : -EAGAIN;
    }
    if (result == 0 && registers->at_call) {
        registers->call = call;
    }
    return result;
}

/* Scalable vectors do not outlive a system call, and a shadow stack has no room for the
 * way home. */
static bool would_lose(pid_t tid, const struct heal_registers *registers)
{
    uint16_t vectors[8];
    uint64_t shadow[3];
    bool in_vectors =
        (heal_get_set(tid, NT_SVE, vectors, sizeof(vectors)) == 0 && (vectors[6] & 1U) != 0) ||
        (heal_get_set(tid, NT_SSVE, vectors, sizeof(vectors)) == 0 && (vectors[6] & 1U) != 0);
    bool has_shadow =
        heal_get_set(tid, NT_GCS, shadow, sizeof(shadow)) == 0 && (shadow[0] & 1U) != 0;
    return has_shadow || (in_vectors && !registers->at_call && !registers->after_call);
}

int heal_settle(pid_t tid, const struct heal_waiting *waiting, struct heal_stopped *stopped,
                struct heal_registers *ret_registers)
{
    struct heal_registers registers;
    if (stopped->stop != STOP_ASKED) {
        return -EAGAIN;
    }
    int result = read_all(tid, &registers);
    if (result == 0) {
        result = heal_spare(tid, waiting, &registers);
    }
    if (result == 0 && registers.at_call && has_time_left(&registers)) {
        result = go_in_again(tid, stopped, &registers);
    }
    if (result != 0) {
        return result;
    }
    *ret_registers = registers;
    return would_lose(tid, &registers) ? -EAGAIN : 0;
}

int heal_put_home(pid_t tid, const struct heal_registers *registers)
{
    return heal_put_set(tid, NT_PRSTATUS, &registers->general, sizeof(registers->general));
}

static bool has_signal(pid_t tid)
{
    uint64_t pending = heal_read_signals(tid, "SigPnd") | heal_read_signals(tid, "ShdPnd");
    return (pending & ~heal_read_signals(tid, "SigBlk")) != 0;
}

int heal_learn(pid_t tid, uint64_t code, const struct heal_registers *registers,
               struct heal_handlers *handlers)
{
    struct heal_call calls[HEAL_BELOW_BYTES / HANDLER_BYTES];
    size_t room = sizeof(calls) / sizeof(calls[0]);
    uint64_t caught = heal_read_signals(tid, "SigCgt"), restarting = 0;
    /* Below where the list can begin, whatever its length. */
    uint64_t below = heal_code_stack_pointer(registers) - HEAL_ROOM_BYTES;
    for (int signal = 1; caught != 0 && !handlers->known;) {
        int signals[sizeof(calls) / sizeof(calls[0])];
        size_t count = 0;
        for (; signal <= SIGNALS && count < room; signal++) {
            if ((caught >> (signal - 1) & 1U) != 0) {
                calls[count] =
                    (struct heal_call){(uint64_t)signal, 0,
                                       (int64_t)(below + count * HANDLER_BYTES), SYS_rt_sigaction};
                signals[count++] = signal;
            }
        }
        if (count == 0) {
            break;
        }
        int result = heal_trip(tid, code, registers, calls, count);
        if (result != 0) {
            return result;
        }
        for (size_t i = 0; i < count; i++) {
            uint64_t words[HANDLER_BYTES / sizeof(uint64_t)];
            if (calls[i].advice == 0 &&
                process_memory_read(tid, below + i * HANDLER_BYTES, words, sizeof(words)) == 0 &&
                (words[1] & SA_RESTART) != 0) {
                restarting |= UINT64_C(1) << (signals[i] - 1);
            }
        }
    }
    *handlers = (struct heal_handlers){true, restarting};
    return 0;
}

/* What the kernel would do: signal(7), "Interruption of system calls". */
static bool breaks_call(pid_t tid, const struct heal_registers *registers,
                        const struct heal_handlers *handlers, int signal)
{
    uint64_t bit = UINT64_C(1) << (signal - 1);
    if ((heal_read_signals(tid, "SigCgt") & bit) == 0) {
        return false;
    }
    switch (registers->call) {
    case SYS_restart_syscall:
    case SYS_ppoll:
    case SYS_pselect6:
    case SYS_epoll_pwait:
    case SYS_semop:
    case SYS_semtimedop:
    case SYS_rt_sigtimedwait:
    case SYS_io_getevents:
    case SYS_clock_nanosleep:
    case SYS_msgrcv:
    case SYS_msgsnd:
        return true;
    default:
        return registers->spared || has_time_left(registers) || (handlers->restarting & bit) == 0;
    }
}

void heal_enter(pid_t tid, const struct heal_registers *registers, bool moved,
                const struct heal_handlers *handlers, struct heal_stopped *stopped)
{
    struct heal_stopped now;
    /* Who is let go inside such a call is woken in it, and that alone ends it with EINTR. */
    if (registers->spared && !has_signal(tid)) {
        return;
    }
    if (!registers->at_call || !(moved || registers->spared) ||
        heal_go_on(tid, stopped, true) != 0 || heal_await(tid, HEAL_NEVER, &now) != 0) {
        return;
    }
    if (now.stop == STOP_SIGNAL && breaks_call(tid, registers, handlers, now.signal)) {
        struct heal_registers broken = *registers;
        broken.general.regs[0] = (uint64_t)-EINTR;
        broken.general.pc += HEAL_SVC_BYTES;
        (void)heal_put_home(tid, &broken);
    }
    *stopped = now;
}

#endif
