#include "shim/stack_clean.h"

#include "detect/units.h"
#include "shim/counters.h"
#include "shim/map_budget.h"
#include "shim/raw_syscall.h"
#include "shim/runtime.h"
#include "shim/stack_bounds.h"
#include "shim/top_walk.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
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

/* The lowest addresses of the stacks with a guard that were started last. Threads created in
 * a row lie one directly below the other. */
static _Atomic uintptr_t lately[8];
static _Atomic unsigned lately_next;

static void remember(const struct stack_bounds *stack)
{
    if (stack->guard_bytes != 0) {
        unsigned n = atomic_fetch_add_explicit(&lately_next, 1, memory_order_relaxed);
        atomic_store_explicit(&lately[n % 8], stack->base, memory_order_relaxed);
    }
}

/* Does the guard of a stack that was started just now lie directly above? Then nothing there
 * has merged with this stack so far, and its top is not huge unless a whole block fits in.
 * For what may come to lie there later the stack is flagged all the same. */
static bool is_below_a_new_stack(const struct stack_bounds *stack)
{
    for (size_t i = 0; i < sizeof(lately) / sizeof(lately[0]); i++) {
        if (atomic_load_explicit(&lately[i], memory_order_relaxed) == stack->end) {
            return stack->guard_bytes != 0;
        }
    }
    return false;
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
        top_walk_note_huge_top();
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
    bool below_a_new_stack = is_below_a_new_stack(&stack);
    remember(&stack);
    if (!first_block(&stack, thp, &block)) {
        return;
    }
    /* The whole mapping, guard included: a part of it would be a mapping of its own. Where it
     * had merged with a neighbour it becomes one all the same, and needs room in the map table.
     * What lies above now is no reason to do without: the next thing to lie there may be a heap. */
    if ((below_a_new_stack || map_budget_allows()) &&
        advise(stack.base, stack.end, MADV_NOHUGEPAGE) == 0) {
        COUNTER_ADD(threads_flagged, 1);
    }
    /* From one page below this frame on, memory is in use: by this function's callees. What lies
     * further below was never touched, so only the block that holds it can be huge. */
    uintptr_t live = align_down((uintptr_t)__builtin_frame_address(0), page) - page;
    uintptr_t touched_block = align_down(live, thp);
    if (touched_block < block) {
        touched_block = block;
    }
    if (below_a_new_stack && stack.end - touched_block < thp) {
        return; /* to look would take the lock that the creator wants for the next thread */
    }
    release_top(&stack, touched_block, live);
}
