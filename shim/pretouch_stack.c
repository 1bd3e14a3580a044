#include "shim/pretouch_stack.h"

#include "detect/units.h"
#include "shim/counters.h"
#include "shim/pretouch.h"
#include "shim/pretouch_config.h"
#include "shim/runtime.h"
#include "shim/stack_bounds.h"

void pretouch_stack(void)
{
    struct stack_bounds stack;
    size_t depth = pretouch_stack_depth(), page = runtime_page_bytes();
    if (depth == 0 || !stack_bounds_of_caller(page, &stack)) {
        return;
    }
    /* The page of this frame is in use and there already; what is below belongs to
     * nobody but the functions called here. */
    uintptr_t live = (uintptr_t)__builtin_frame_address(0), end = align_down(live, page);
    uintptr_t start = stack.base + stack.guard_bytes;
    if (live - start > depth) {
        start = align_down(live - depth, page);
    }
    if (start >= end) {
        return;
    }
    /* No guard may mean one that is not known, at the end of the way down. */
    struct pretouch_result result = pretouch(
        start, end - start, page, stack.guard_bytes != 0 ? PRETOUCH_STAYS : PRETOUCH_MAY_VANISH);
    if (result.error == 0) {
        COUNTER_ADD(pretouch_stacks, 1);
    }
}
