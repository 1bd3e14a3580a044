/* All that is read of one process, for `inspect` and `scan`. */
#ifndef THPFIX_SHIM_CLI_INSPECTION_H
#define THPFIX_SHIM_CLI_INSPECTION_H

#include "detect/process.h"
#include "detect/process_kinds.h"
#include "detect/process_stacks.h"
#include "shim/cli/known_threads.h"

/* Of thread stacks; that of the first thread is not among them. */
struct stack_totals {
    size_t stacks, untold, merged, exempt;
    size_t rss_unknown, huge_unknown; /* stacks whose number could not be told */
    size_t not_judged;                /* suspect, but their depth is not told */
    uint64_t size_bytes, rss_bytes, huge_bytes, back_bytes;
};

struct inspection {
    struct process_identity identity;
    struct process_maps maps;
    struct process_stacks stacks;
    int threads_error;     /* why glibc's own list could not be read; 0 */
    bool threads_complete; /* false: it changed while it was read */
    struct library_seen library;
    size_t page_bytes, thp_bytes;
    struct stack_totals totals;
};

/* every_thread: asks for the depth of each stack, not only where it matters for the
 * totals. 0; -errno as process_identify gives it, -ESRCH also when the process ended
 * while it was read. On success to be freed. One process at a time: it has help from
 * other threads. */
int inspection_read(pid_t pid, bool every_thread, struct inspection *ret_inspection);

/* The same of a process that was identified already, for the totals only, and without help:
 * for many processes. Any thread. */
int inspection_read_here(const struct process_identity *identity,
                         struct inspection *ret_inspection);
void inspection_free(struct inspection *inspection);

#endif
