/* Is there room in the process's map table for guards of ours?
 *
 * A guard costs each stack a map entry of its own, and vm.max_map_count (65530 by
 * default) bounds them all: a program must not run into the limit because of us, not
 * with a later mmap of its own either.
 */
#ifndef THPFIX_SHIM_MAP_BUDGET_H
#define THPFIX_SHIM_MAP_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

/* To be asked once for each stack that would get a new guard. Counts the process's
 * mappings now and then, at most once in 1024 calls. No lock, no allocation, errno
 * untouched; any thread, after fork. */
bool map_budget_allows(void);

/* A creation failed with a guard and succeeded without: no more of them for a while. */
void map_budget_exhausted(void);

/* How many more guards before mappings are to be counted again; 0: no more now. An
 * eighth of the limit stays free, and half of the rest is left to the program. Pure. */
size_t map_budget_share(size_t mappings, size_t limit);

#endif
