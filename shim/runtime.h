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

/* Reads configuration and THP mode, once. Any thread; one that comes while another is
 * at it finds "not active" and goes on. */
void runtime_start(void);

/* Is this process to be acted on now? Starts the runtime if need be. Looks at the THP
 * mode again when the last look is 10 s old (one thread does; the others go on with
 * the old answer). errno untouched. Any thread; after fork. No lock, no allocation, but for
 * a mode that has changed: that sets the process's default attributes (default_attr.h). */
bool runtime_active(void);

/* For plan_stack, with everything allowed: what limits and map table permit is the caller's
 * to ask (growth.h, map_budget.h). Meaningful once runtime_active() has been true. */
void runtime_plan_limits(struct plan_limits *ret_limits);

/* Has pthread_attr_setstacksize stored a size with the mark of plan_encode_size in this
 * process? Never unset: such an attribute may live on. */
bool runtime_sizes_encoded(void);
void runtime_note_sizes_encoded(void);

/* Is there to be anything at all of what the verdict on THP does not decide? Not with
 * THPFIX=off, in a program that is not selected, and before the runtime has started. Any
 * thread, after fork, in a signal handler. */
bool runtime_selected(void);

/* Which starts are to go through a gate, whatever the verdict: THPFIX_GATE, but none in a
 * process that is not selected. Starts the runtime if need be. */
enum config_gate runtime_gate(void);

size_t runtime_page_bytes(void);
size_t runtime_thp_bytes(void);
struct verdict runtime_verdict(void);
const struct config *runtime_config(void);
const char *runtime_program(void); /* file name of the program, "" unknown */

#endif
