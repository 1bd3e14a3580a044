/* Between stopping a thread and sending it away, and between its return and letting it go:
 * what makes the kernel's own handling of an interrupted system call come out as if the
 * thread had not been disturbed. Each architecture has its own way. */
#ifndef THPFIX_SHIM_CLI_HEAL_SETTLE_H
#define THPFIX_SHIM_CLI_HEAL_SETTLE_H

#include "shim/cli/heal_registers.h"
#include "shim/cli/heal_trace.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The system call in which a thread was seen to wait, before it was stopped. */
struct heal_waiting {
    bool known;
    long call;
    uint64_t arguments[6], stack_pointer, pc;
};

/* What the process does with signals. */
struct heal_handlers {
    bool known;
    uint64_t restarting; /* handled with SA_RESTART: bit 0 is signal 1 */
};

/* Before the stop. Not a word where it is not needed, or not to be seen. */
void heal_look(pid_t pid, pid_t tid, struct heal_waiting *ret_waiting);

/* Takes the registers of a thread that has stopped as asked, and spares it an EINTR. It may
 * go on in the kernel meanwhile: *stopped is how it came to rest. 0; -EAGAIN: it stands
 * where it cannot be left; -errno. */
int heal_settle(pid_t tid, const struct heal_waiting *waiting, struct heal_stopped *stopped,
                struct heal_registers *ret_registers);

/* Puts the thread to where it was. */
int heal_put_home(pid_t tid, const struct heal_registers *registers);

/* Learns of the handlers, by having the thread ask. Where that is not needed, nothing. */
int heal_learn(pid_t tid, uint64_t code, const struct heal_registers *registers,
               struct heal_handlers *handlers);

/* Is to be called before a thread is let go that was settled. moved: it was away, and is back.
 * Where the kernel has forgotten the interrupted system call, the thread enters it here, so
 * that a signal finds it waiting. *stopped as with heal_settle. */
void heal_enter(pid_t tid, const struct heal_registers *registers, bool moved,
                const struct heal_handlers *handlers, struct heal_stopped *stopped);

#endif
