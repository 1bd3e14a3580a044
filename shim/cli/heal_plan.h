/* Which memory of a stopped thread's stack can go.
 *
 * Only pages that lie below the stack pointer *and* hold nothing but zeros: those that came
 * with a huge page and were never used. Given back they read as what they were, so
 * that nothing is lost even where the thread has, against all appearance, something
 * alive down there: an alternate signal stack or a coroutine's in its own stack. And
 * what a stack took by being deep it would have taken without huge pages, too.
 */
#ifndef THPFIX_SHIM_CLI_HEAL_PLAN_H
#define THPFIX_SHIM_CLI_HEAL_PLAN_H

#include "shim/cli/heal_code.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#ifndef MADV_COLD
#define MADV_COLD 20 /* Linux 5.4 */
#endif

struct heal_stack {
    uint64_t base, low, end; /* low: above all guards */
    bool exempt;             /* no huge page can come any more */
};

/* Is this thread, as it stands, on its own stack? Both what glibc told of the stack and the
 * thread pointer, where its descriptor is, must say so. */
bool heal_plan_on_stack(const struct heal_stack *stack, uint64_t pointer, uint64_t thread_pointer);

/* The end of what is dead: below the red zone and a margin, on a page. */
uint64_t heal_plan_dead_end(const struct heal_stack *stack, uint64_t pointer, size_t page_bytes);

/* The calls for one stack. Add pages upwards; those between that are not told stay. */
struct heal_plan {
    struct heal_call *calls;
    size_t count, room;
    size_t page_bytes;
    uint64_t bytes;     /* to be freed */
    bool split_outside; /* what is left of a huge page is split by others: heal_split.h */
};

/* room: of calls; at least 3. The first call is made here: against new huge pages. */
void heal_plan_begin(struct heal_plan *plan, const struct heal_stack *stack, size_t page_bytes);
/* false: no room for it; the plan is complete without. */
bool heal_plan_add_page(struct heal_plan *plan, uint64_t address);
/* The last call: has the kernel split what is left of a huge page. Nothing to do at all:
 * the count is 0 then. */
void heal_plan_end(struct heal_plan *plan, const struct heal_stack *stack);

bool heal_plan_all_zero(const void *bytes, size_t size);

#endif
