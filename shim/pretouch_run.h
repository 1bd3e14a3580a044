/* Joins ranges that follow one another in memory.
 *
 * HotSpot's G1 puts its heap under MADV_HUGEPAGE one region at a time, 2 MiB of a heap of
 * 4 GiB: no range of a heap would ever be large. So what is compared with the least size is
 * the run of ranges that each begin where the last one ended.
 */
#ifndef THPFIX_SHIM_PRETOUCH_RUN_H
#define THPFIX_SHIM_PRETOUCH_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pretouch_range {
    uintptr_t start;
    size_t bytes;
};

/* Adds a range. true: *ret_due is to be populated; all of the run when it has just become
 * large enough, afterwards what was added. Remembers the last few runs only. Never waits:
 * of two threads in it at once, one has its range taken alone. Any thread, after fork, in
 * a signal handler. */
bool pretouch_run_add(const struct pretouch_range *range, size_t min_bytes,
                      struct pretouch_range *ret_due);

#endif
