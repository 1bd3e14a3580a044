/* ptrace, one thread at a time, in a way that the death of this process undoes.
 *
 * A thread is seized, never attached (no SIGSTOP); no stop is ever consumed with wait,
 * since the kernel would then forget the signal that caused it, should we die before
 * we hand it on. All that return int: 0 or -errno, -ESRCH where the thread has ended.
 */
#ifndef THPFIX_SHIM_CLI_HEAL_TRACE_H
#define THPFIX_SHIM_CLI_HEAL_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum heal_stop {
    STOP_ASKED,   /* as asked for, or with a SIGSTOP of somebody else */
    STOP_SIGNAL,  /* before a signal: heal_release hands it on */
    STOP_SYSCALL, /* at the start or end of a system call */
};

struct heal_stopped {
    enum heal_stop stop;
    int signal;
    uint64_t since_ns; /* not longer than since then */
};

#define HEAL_NEVER UINT64_MAX

uint64_t heal_clock_ns(void);

/* Seizes and has it stop. -EPERM: not permitted, or traced already. */
int heal_seize(pid_t tid);

/* Until it has stopped, or the deadline: -ETIMEDOUT. */
int heal_await(pid_t tid, uint64_t deadline_ns, struct heal_stopped *ret_stopped);

/* Lets a stopped thread go on, with the signal before which it stopped, until it is asked
 * to stop; or until the next system call. */
int heal_go_on(pid_t tid, const struct heal_stopped *stopped, bool until_call);
int heal_interrupt(pid_t tid);

/* Lets it go for good, with the signal before which it stopped. Not 0: it is not stopped. */
int heal_release(pid_t tid, const struct heal_stopped *stopped);

/* A set of registers by its number in <elf.h>. -ENOTSUP: it is of another size. */
int heal_get_set(pid_t tid, int set, void *ret_registers, size_t size);
int heal_put_set(pid_t tid, int set, const void *registers, size_t size);
int heal_get_mask(pid_t tid, uint64_t *ret_mask);
int heal_set_mask(pid_t tid, uint64_t mask);
int heal_get_nice(pid_t tid, int *ret_nice);
int heal_set_nice(pid_t tid, int nice);
int heal_write(pid_t tid, uint64_t address, const void *bytes, size_t size);

/* Writes over what may only be executed, and makes sure of it. size: a multiple of 8. */
int heal_write_code(pid_t tid, uint64_t address, const void *bytes, size_t size);

/* Is it in a sequence that must begin anew when it is disturbed (rseq(2))? Where the kernel
 * cannot tell: true. */
bool heal_in_sequence(pid_t tid);

#endif
