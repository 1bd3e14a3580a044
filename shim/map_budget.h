/* Is there room in the process's map table for what we add to it?
 *
 * A guard keeps a stack from merging with its neighbours, which costs two entries, and so
 * may the flag of a stack; vm.max_map_count (65530 by default) bounds them all. A program
 * must not run into the limit because of us, not with a later mmap of its own either.
 */
#ifndef THPFIX_SHIM_MAP_BUDGET_H
#define THPFIX_SHIM_MAP_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

/* To be asked once for each guard and each flag. Counts the process's mappings at the
 * first call and now and then, at most once in 1024 calls. No lock, no allocation, errno
 * untouched; any thread, after fork. A child forked while a thread counts (25 ms for 60000
 * mappings) has one descriptor more, which exec closes. */
bool map_budget_allows(void);

/* A creation failed with a guard and succeeded without: the next call counts anew. */
void map_budget_doubt(void);

/* How many more before mappings are to be counted again; 0: no more now. An eighth of the
 * limit stays free, and half of the rest is left to the program. Pure. */
size_t map_budget_share(size_t mappings, size_t limit);

#endif
