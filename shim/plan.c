#include "shim/plan.h"

#include "detect/units.h"

/* Survives pthread_attr_setstacksize, and is rounded away when glibc makes a stack. */
#define ENCODED_MARK 13

/* Bytes by which a mapping of `bytes` must grow for its top to be clear of the last THP
 * boundary, were its base aligned to one. Where the kernel does not align, the top lies
 * anywhere, and the trampoline looks after the few that end just above a boundary. */
static size_t bytes_to_clear(size_t bytes, const struct plan_limits *limits)
{
    size_t clearance = PLAN_TOP_CLEARANCE_BYTES + limits->page_bytes;
    if (limits->thp_bytes == 0 || bytes < limits->thp_bytes) {
        return 0;
    }
    size_t beyond = bytes & (limits->thp_bytes - 1);
    return beyond < clearance ? clearance - beyond : 0;
}

/* The mapping is as large as the size before glibc 2.27, and as size and guard since:
 * both are made clear. Three steps do: the second may undo the first once, by passing a
 * boundary. false where the sum does not fit. */
static bool pad(size_t size, size_t guard, const struct plan_limits *limits, size_t *ret_size)
{
    for (int step = 0; step < 3; step++) {
        size_t total;
        if (__builtin_add_overflow(size, bytes_to_clear(size, limits), &size) ||
            __builtin_add_overflow(size, guard, &total) ||
            __builtin_add_overflow(size, bytes_to_clear(total, limits), &size)) {
            return false;
        }
    }
    *ret_size = size;
    return true;
}

/* Bytes that make size and guard an odd multiple of the stride, and the step when one is due. */
static size_t bytes_to_walk_in_step(size_t size, size_t guard, const struct plan_limits *limits)
{
    size_t stride = PLAN_STRIDE_PAGES * limits->page_bytes;
    size_t step = limits->step_aside ? PLAN_STEP_PAGES * limits->page_bytes : 0;
    return ((stride - size - guard) & (2 * stride - 1)) + step;
}

/* The walk gives way where it would bring the top back to a boundary. false where a sum does
 * not fit. */
static bool padded_size(size_t size, size_t guard, const struct plan_limits *limits,
                        size_t *ret_size)
{
    size_t cleared, in_step, again;
    if (!pad(size, guard, limits, &cleared)) {
        return false;
    }
    *ret_size = cleared;
    if (cleared != size &&
        !__builtin_add_overflow(cleared, bytes_to_walk_in_step(cleared, guard, limits), &in_step) &&
        pad(in_step, guard, limits, &again) && again == in_step) {
        *ret_size = in_step;
    }
    return true;
}

struct stack_plan plan_stack(const struct stack_request *request, const struct plan_limits *limits)
{
    struct stack_plan as_asked = {.size_bytes = request->size_bytes,
                                  .guard_bytes = request->guard_bytes};
    if (request->callers_stack) {
        as_asked.flag_callers_stack = limits->user_stacks;
        return as_asked;
    }
    as_asked.trampoline = true;
    struct stack_plan plan = as_asked;

    uintptr_t wanted_guard, size, guard;
    if (!align_up(limits->guard_bytes, limits->page_bytes, &wanted_guard) ||
        !align_up(request->guard_bytes, limits->page_bytes, &guard)) {
        return as_asked;
    }
    if (wanted_guard < limits->page_bytes) {
        wanted_guard = limits->page_bytes;
    }
    size = request->size_bytes;
    if (guard < wanted_guard && limits->may_add_guard) {
        if (__builtin_add_overflow(size, wanted_guard - guard, &size)) {
            return as_asked;
        }
        guard = wanted_guard;
        plan.guard_bytes = wanted_guard;
        plan.guarded = true;
    }
    size_t padded;
    if (!align_up(size, limits->page_bytes, &size) || !padded_size(size, guard, limits, &padded)) {
        return as_asked;
    }
    if (!limits->may_pad) {
        padded = size;
    }
    plan.padded = padded != size;
    if (plan.padded || plan.guarded) {
        plan.size_bytes = padded;
    }
    return plan;
}

static size_t encoded_extra(const struct plan_limits *limits)
{
    return PLAN_TOP_CLEARANCE_BYTES + limits->page_bytes + ENCODED_MARK;
}

size_t plan_encode_size(size_t size_bytes, const struct plan_limits *limits)
{
    size_t stored;
    if (limits->thp_bytes == 0 || size_bytes == 0 || (size_bytes & (limits->thp_bytes - 1)) != 0 ||
        __builtin_add_overflow(size_bytes, encoded_extra(limits), &stored)) {
        return size_bytes;
    }
    return stored;
}

size_t plan_decode_size(size_t stored_bytes, const struct plan_limits *limits)
{
    size_t size;
    if (limits->thp_bytes == 0 ||
        __builtin_sub_overflow(stored_bytes, encoded_extra(limits), &size) || size == 0 ||
        (size & (limits->thp_bytes - 1)) != 0) {
        return stored_bytes;
    }
    return size;
}
