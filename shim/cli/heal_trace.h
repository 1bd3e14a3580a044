/* ptrace, one thread at a time, in a way that the death of this process undoes.
 *
 * A thread is seized, never attached (no SIGSTOP); no stop is ever consumed with wait,
 * since the kernel would then forget the signal that caused it, should we die before
 * we hand it on.
 */
#ifndef THPFIX_SHIM_CLI_HEAL_TRACE_H
#define THPFIX_SHIM_CLI_HEAL_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

enum heal_stop {
    STOP_ASKED,   /* as asked for, or with a SIGSTOP of somebody else */
    STOP_SIGNAL,  /* before a signal: heal_release hands it on */
    STOP_SYSCALL, /* at the start or end of a system call */
};

struct heal_stopped {
    enum heal_stop stop;
    int signal;
};

uint64_t heal_clock_ns(void);

/* Seizes and has it stop. 0; -ESRCH it has ended; -EPERM not permitted, or traced already. */
int heal_seize(pid_t tid);

/* Until it has stopped. 0; -ESRCH it has ended; -ETIMEDOUT. */
int heal_await(pid_t tid, uint64_t deadline_ns, struct heal_stopped *ret_stopped);

/* Lets it go, with the signal before which it stopped. */
void heal_release(pid_t tid, const struct heal_stopped *stopped);

/* All 0 or -errno. */
int heal_get_registers(pid_t tid, struct user_regs_struct *ret_registers);
int heal_set_registers(pid_t tid, const struct user_regs_struct *registers);
int heal_get_mask(pid_t tid, uint64_t *ret_mask);
int heal_set_mask(pid_t tid, uint64_t mask);
int heal_write(pid_t tid, uint64_t address, const void *bytes, size_t size);

/* Writes over what may only be executed, and makes sure of it. size: a multiple of 8. */
int heal_write_code(pid_t tid, uint64_t address, const void *bytes, size_t size);

/* Is it in a sequence that must begin anew when it is disturbed (rseq(2))? Where the kernel
 * cannot tell: true. */
bool heal_in_sequence(pid_t tid);

/* Has it run the list of calls that heal_code_prepare made, and come to rest behind it, as
 * asked (STOP_ASKED). To be called with the thread sent there. 0; -ESRCH. */
int heal_follow(pid_t tid);

#endif
