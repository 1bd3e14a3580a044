/* The state of the library: the one mutable global, and who writes it.
 *
 * Made on first use or in the constructor, whichever comes first: another library's
 * constructor may create threads before ours has run.
 */
#ifndef THPFIX_SHIM_RUNTIME_H
#define THPFIX_SHIM_RUNTIME_H

#include "detect/verdict.h"
#include "shim/config.h"
#include "shim/plan.h"
#include <stdbool.h>
#include <stddef.h>

/* Reads configuration and THP mode once. Any thread; a thread that comes while
 * another is at it is told "not active" and goes on. */
void runtime_start(void);

/* Is this process to be acted on now? Looks at the THP mode again when the last look
 * is more than 10 s old (one thread does; the others go on with the old answer). No
 * lock, no allocation, errno untouched. Any thread; after fork. */
bool runtime_active(void);

/* Limits for plan_stack. may_add_guard is false when the process has so many threads
 * that one more map entry for each could use up vm.max_map_count. */
void runtime_plan_limits(struct plan_limits *ret_limits);

/* Have sizes been stored with the mark of plan_encode_size in this process? Stays true. */
bool runtime_sizes_encoded(void);
void runtime_note_sizes_encoded(void);

size_t runtime_page_bytes(void);
size_t runtime_thp_bytes(void);
enum config_gate runtime_gate(void);

struct verdict runtime_verdict(void);

#endif
