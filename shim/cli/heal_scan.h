/* Finds the pages of a stopped thread's stack that can go, and plans it. */
#ifndef THPFIX_SHIM_CLI_HEAL_SCAN_H
#define THPFIX_SHIM_CLI_HEAL_SCAN_H

#include "detect/process_pages.h"
#include "shim/cli/heal_plan.h"

#include <stdint.h>
#include <sys/types.h>

/* Makes the plan for what lies between *next and dead_end, as far as there is room for calls
 * and time (heal_clock_ns), and moves *next on. Pages that are not resident are not looked at:
 * that would make them. tid: any thread of the process that has its memory. 0 or -errno. */
int heal_scan(pid_t tid, const struct process_pages *pages, const struct heal_stack *stack,
              uint64_t dead_end, uint64_t deadline_ns, uint64_t *next, struct heal_plan *plan);

#endif
