#include "shim/stack_clean.h"

#include "detect/units.h"
#include "shim/counters.h"
#include "shim/map_budget.h"
#include "shim/raw_syscall.h"
#include "shim/runtime.h"
#include "shim/stack_bounds.h"

#include <stdbool.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#ifndef MADV_COLD
#define MADV_COLD 20 /* Linux 5.4 */
#endif

static long advise(uintptr_t start, uintptr_t end, int advice)
{
    return raw_syscall3(SYS_madvise, (long)start, (long)(end - start), advice);
}

/* The lowest block of the THP size that can be huge and reaches into the stack. A block
 * cannot span a guard. Without one, neighbours below have the same permissions and
 * the kernel may have merged them with this stack; above, it may always have. */
static bool first_block(const struct stack_bounds *stack, size_t thp_bytes, uintptr_t *ret_block)
{
    uintptr_t block;
    if (stack->guard_bytes == 0) {
        block = align_down(stack->base, thp_bytes);
    } else if (!align_up(stack->base + stack->guard_bytes, thp_bytes, &block)) {
        return false;
    }
    if (block >= stack->end) {
        return false;
    }
    *ret_block = block;
    return true;
}

static bool is_resident(uintptr_t page)
{
    unsigned char resident = 0;
    return raw_syscall3(SYS_mincore, (long)page, 1, (long)&resident) == 0 && (resident & 1) != 0;
}

/* MADV_DONTNEED takes the dead part out of the page tables; the memory itself only
 * comes back when the huge page is split, which MADV_COLD on the live part does. */
static void release_top(const struct stack_bounds *stack, uintptr_t block, uintptr_t live)
{
    if (block < stack->base + stack->guard_bytes) {
        block = stack->base + stack->guard_bytes;
    }
    if (live <= block) {
        return; /* all that is in the stack is in use */
    }
    if (!is_resident(block)) {
        return; /* nobody has touched this far down: it is there only if it is huge */
    }
    if (advise(block, live, MADV_DONTNEED) == 0) {
        (void)advise(live, stack->end, MADV_COLD);
        COUNTER_ADD(tops_released, 1);
    }
}

void stack_clean(void)
{
    struct stack_bounds stack;
    size_t page = runtime_page_bytes(), thp = runtime_thp_bytes();
    if (!stack_bounds_of_caller(page, &stack)) {
        COUNTER_ADD(left_alone_not_located, 1);
        return;
    }
    uintptr_t block;
    if (!first_block(&stack, thp, &block)) {
        return;
    }
    /* The whole mapping, guard included: a part of it would be a mapping of its own. Where it
     * had merged with a neighbour it becomes one all the same. What lies above now is no
     * reason to do without: the next thing to lie there may be a heap. */
    if (map_budget_allows() && advise(stack.base, stack.end, MADV_NOHUGEPAGE) == 0) {
        COUNTER_ADD(threads_flagged, 1);
    }
    /* From one page below this frame on, memory is in use: by this function's callees. */
    uintptr_t live = align_down((uintptr_t)__builtin_frame_address(0), page) - page;
    uintptr_t touched_block = align_down(live, thp);
    release_top(&stack, touched_block > block ? touched_block : block, live);
}
