/* Is there room in the process's map table for what we add to it?
 *
 * A guard keeps a stack from merging with its neighbours, which costs two entries. The flag of
 * a stack without a guard costs one, in a row of such stacks, and at most two.
 * vm.max_map_count (65530 by default) bounds them all. A program must not run into the limit
 * because of us, not with a later mmap of its own either.
 */
#ifndef THPFIX_SHIM_MAP_BUDGET_H
#define THPFIX_SHIM_MAP_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

enum map_need {
    MAP_FLAG,
    MAP_GUARD, /* refused earlier: what is left then does for twice as many flags */
};

/* To be asked once for each guard and each flag. Counts the process's mappings at the
 * first call and now and then, at most once in 1024 calls. No lock, no allocation, errno
 * untouched; any thread, after fork. A child forked while a thread counts (25 ms for 60000
 * mappings) has one descriptor more, which exec closes. */
bool map_budget_allows(enum map_need need);

/* Would a flag be allowed, by the last count? Does not count as asked. */
bool map_budget_has_room(void);

/* A creation failed with a guard and succeeded without: the next call counts anew. */
void map_budget_doubt(void);

/* What a count of the mappings has shown. */
struct map_room {
    size_t calls; /* that may ask before mappings are counted again; 0: there is no room */
    bool guards;
};

/* An eighth of the limit stays free, and half of the rest is left to the program until the next
 * count. Guards end where a quarter of the limit is left beside that eighth. Pure. */
struct map_room map_budget_room(size_t mappings, size_t limit);

#endif
