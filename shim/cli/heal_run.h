/* All threads of a process, one after the other. */
#ifndef THPFIX_SHIM_CLI_HEAL_RUN_H
#define THPFIX_SHIM_CLI_HEAL_RUN_H

#include "shim/cli/heal_thread.h"
#include "shim/cli/inspection.h"

#include <stddef.h>

struct heal_summary {
    struct heal_tally tally;
    size_t states[HEAL_STATE_COUNT]; /* how many threads came to each */
    size_t untold;                   /* threads whose stack is not known, or is not glibc's */
};

/* Heals what inspection tells of, until all is done, several tries did not help, or a signal
 * tells this process to end (watch.h). code_room: see heal_room.h. 0; -EPERM when the
 * kernel does not permit it, or another traces the process; -ENOMEM; another -errno. */
int heal_run(const struct inspection *inspection, uint64_t code_room, uint64_t stop_ns,
             struct heal_summary *ret_summary);

#endif
