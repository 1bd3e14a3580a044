#include "shim/stack_clean.h"

#include "detect/units.h"
#include "shim/counters.h"
#include "shim/map_budget.h"
#include "shim/raw_syscall.h"
#include "shim/runtime.h"
#include "shim/stack_bounds.h"
#include "shim/top_walk.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#ifndef MADV_COLD
#define MADV_COLD 20 /* Linux 5.4 */
#endif

#define KERNEL_SIGSET_BYTES 8

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

/* The lowest addresses of the stacks that were started last, those with a guard or the flag:
 * nothing below merges with them. Threads created in a row lie one directly below the other;
 * threads that follow one another share a stack. */
static _Atomic uintptr_t lately[16];
static _Atomic unsigned lately_next;

static bool was_started_lately(uintptr_t base)
{
    unsigned next = atomic_load_explicit(&lately_next, memory_order_relaxed);
    for (unsigned age = 1; age <= 16; age++) {
        if (atomic_load_explicit(&lately[(next - age) % 16], memory_order_relaxed) == base) {
            return true;
        }
    }
    return false;
}

static void remember(uintptr_t base)
{
    unsigned n = atomic_fetch_add_explicit(&lately_next, 1, memory_order_relaxed);
    atomic_store_explicit(&lately[n % 16], base, memory_order_relaxed);
}

/* What cannot be read at all, a guard above all, has not merged with the stack below it. A
 * system call that reads a signal set and then refuses, as there is no such way to
 * use one (-1), tells; every thread of glibc makes it, so no filter forbids it. */
static bool can_be_read(uintptr_t address)
{
    return raw_syscall4(SYS_rt_sigprocmask, -1, (long)address, 0, KERNEL_SIGSET_BYTES) != -EFAULT;
}

/* MADV_DONTNEED takes the dead part out of the page tables; the memory itself only
 * comes back when the huge page is split, which MADV_COLD on the live part does. Where nothing
 * is huge both find next to nothing to do. There is no looking first: mincore is not among the
 * system calls that a service usually may make, and filters kill. */
static void release_top(const struct stack_bounds *stack, uintptr_t block, uintptr_t live)
{
    if (block < stack->base + stack->guard_bytes) {
        block = stack->base + stack->guard_bytes;
    }
    if (live <= block) {
        return; /* all that is in the stack is in use */
    }
    if (advise(block, live, MADV_DONTNEED) == 0) {
        (void)advise(live, stack->end, MADV_COLD);
        COUNTER_ADD(tops_released, 1);
    }
}

/* The whole mapping, guard included: a part of it would be a mapping of its own. Where it
 * had merged with a neighbour it becomes one all the same, and needs room in the map table.
 * What lies above now is no reason to do without: the next thing to lie there may be a heap. */
static inline struct stack_marks flag(const struct stack_bounds *stack, bool can_be_huge)
{
    /* Under a stack that was started just now nothing has merged with this one from above so
     * far: its top is not huge unless a whole block fits in, and the flag takes no room in the map
     * table. A stack from glibc's cache that was looked after just now needs no second look. */
    struct stack_marks marks = {
        .below_a_new_stack = was_started_lately(stack->end),
        .cleaned_lately = was_started_lately(stack->base),
    };
    if (can_be_huge &&
        ((marks.below_a_new_stack && stack->guard_bytes != 0) || map_budget_allows(MAP_FLAG)) &&
        advise(stack->base, stack->end, MADV_NOHUGEPAGE) == 0) {
        COUNTER_ADD(threads_flagged, 1);
        marks.flagged = true;
    }
    if ((marks.flagged || stack->guard_bytes != 0) && !marks.cleaned_lately) {
        remember(stack->base);
    }
    return marks;
}

bool stack_flag_new(pthread_t thread, struct stack_marks *ret_marks)
{
    struct stack_bounds stack;
    uintptr_t block;
    if (!stack_bounds_of_new(thread, runtime_page_bytes(), &stack) ||
        !first_block(&stack, runtime_thp_bytes(), &block)) {
        return false;
    }
    struct stack_marks marks = flag(&stack, true);
    if (marks.flagged) {
        *ret_marks = marks;
    }
    return marks.flagged;
}

void stack_clean(const struct stack_marks *by_creator)
{
    struct stack_bounds stack;
    size_t page = runtime_page_bytes(), thp = runtime_thp_bytes();
    if (!stack_bounds_of_caller(page, &stack)) {
        COUNTER_ADD(left_alone_not_located, 1);
        return;
    }
    uintptr_t block;
    bool can_be_huge = first_block(&stack, thp, &block);
    struct stack_marks marks = by_creator != NULL ? *by_creator : flag(&stack, can_be_huge);
    if (!can_be_huge) {
        return;
    }
    /* From one page below this frame on, memory is in use: by this function's callees. What lies
     * further below was never touched, so only the block that holds it can be huge. */
    uintptr_t live = align_down((uintptr_t)__builtin_frame_address(0), page) - page;
    uintptr_t touched_block = align_down(live, thp);
    if (touched_block < block) {
        touched_block = block;
    }
    if (stack.end - touched_block >= thp) {
        top_walk_note_boundary();
        release_top(&stack, touched_block, live);
        return;
    }
    if (marks.cleaned_lately) {
        return;
    }
    if (marks.below_a_new_stack) {
        top_walk_note_stack(stack.base, live, stack.end, page);
    } else if (stack.guard_bytes == 0 || can_be_read(stack.end)) {
        /* Only here: the calls take the lock that the creator wants for the next thread. */
        release_top(&stack, touched_block, live);
    }
}
