/* What the stacks take of the mappings they lie in; the work of process_stacks_match. */
#ifndef THPFIX_DETECT_PROCESS_STACKS_SUM_H
#define THPFIX_DETECT_PROCESS_STACKS_SUM_H

#include "detect/process_stacks.h"

/* Fills in rss, huge, merged and exempt of the stacks, which are ascending, do not
 * overlap and are mapped; sets the kinds of the mappings and moves the sums. pages may
 * be NULL. */
void process_stacks_sum(struct process_stack **stacks, size_t count, struct process_maps *maps,
                        const struct process_pages *pages, size_t thp_bytes);

/* Which of the blocks of a mapping are huge is not told; but where as many bytes are huge
 * as lie in blocks resident throughout, it is exactly those. */
bool process_huge_is_where_full(const struct memory_map *map, const struct process_pages *pages,
                                size_t thp_bytes);

#endif
