#include "shim/stack_clean.h"

#include "detect/units.h"
#include "shim/counters.h"
#include "shim/runtime.h"
#include "shim/stack_bounds.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MADV_COLD
#define MADV_COLD 20 /* Linux 5.4 */
#endif

static long advise(uintptr_t start, uintptr_t end, int advice)
{
    return syscall(SYS_madvise, start, end - start, advice);
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

/* Guarded stacks that were seen, by their lowest address: threads that are created in a row
 * lie one directly below the other. Any thread; a lost entry only costs a system call. */
static _Atomic uintptr_t guarded[1024];

static _Atomic uintptr_t *guarded_slot(uintptr_t address, size_t page_bytes)
{
    return &guarded[address / page_bytes % (sizeof(guarded) / sizeof(guarded[0]))];
}

static bool is_resident(uintptr_t page)
{
    unsigned char resident = 0;
    return syscall(SYS_mincore, page, 1, &resident) == 0 && (resident & 1) != 0;
}

/* Does the guard of another stack lie directly above? It did, and what lies there now has
 * not been touched at its lowest page, as a guard never is. */
static bool is_below_a_guard(const struct stack_bounds *stack, size_t page_bytes)
{
    return atomic_load_explicit(guarded_slot(stack->end, page_bytes), memory_order_relaxed) ==
               stack->end &&
           !is_resident(stack->end);
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
    if (stack.guard_bytes != 0) {
        atomic_store_explicit(guarded_slot(stack.base, page), stack.base, memory_order_relaxed);
    }
    uintptr_t block;
    int saved = errno;
    if (first_block(&stack, thp, &block) &&
        (stack.end - block >= thp || !is_below_a_guard(&stack, page))) {
        /* The whole mapping, guard included: a part of it would be a mapping of its own,
         * and the number of those is limited. */
        if (advise(stack.base, stack.end, MADV_NOHUGEPAGE) == 0) {
            COUNTER_ADD(threads_flagged, 1);
        }
        /* From one page below this frame on, memory is in use: by this function's callees. */
        uintptr_t live = align_down((uintptr_t)__builtin_frame_address(0), page) - page;
        uintptr_t touched_block = align_down(live, thp);
        release_top(&stack, touched_block > block ? touched_block : block, live);
    }
    errno = saved;
}
