#include "shim/create.h"

#include "detect/units.h"
#include "shim/counters.h"
#include "shim/gated_create.h"
#include "shim/growth.h"
#include "shim/map_budget.h"
#include "shim/plan.h"
#include "shim/pretouch_config.h"
#include "shim/real.h"
#include "shim/runtime.h"
#include "shim/stack_start.h"
#include "shim/top_walk.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The caller's stack as glibc tells it. Without one the address is zero, or the size
 * counted down from zero. */
static bool callers_stack(const pthread_attr_t *attr, void **ret_address, size_t *ret_size)
{
    void *address;
    size_t size;
    if (real_pthread_attr_getstack() == NULL ||
        real_pthread_attr_getstack()(attr, &address, &size) != 0 || address == NULL ||
        (uintptr_t)address + size == 0) {
        return false;
    }
    *ret_address = address;
    *ret_size = size;
    return true;
}

bool create_has_callers_stack(const pthread_attr_t *attr)
{
    void *address;
    size_t size;
    return callers_stack(attr, &address, &size);
}

/* Before the thread's first touch. Only whole pages within: the neighbours are not ours. */
static void flag_callers_stack(const pthread_attr_t *attr)
{
    void *address;
    size_t size, page = runtime_page_bytes();
    uintptr_t start, end;
    if (callers_stack(attr, &address, &size) && align_up((uintptr_t)address, page, &start)) {
        end = align_down((uintptr_t)address + size, page);
        if (start < end && syscall(SYS_madvise, start, end - start, MADV_NOHUGEPAGE) == 0) {
            COUNTER_ADD(threads_flagged, 1);
        }
    }
}

/* A request, and attributes of our own to change. */
struct changeable {
    pthread_attr_t attr;
    bool owned; /* to be destroyed: not a shallow copy of the caller's */
    struct stack_request request;
    bool decoded; /* the stored size is not the one the program set */
};

/* What a NULL attribute stands for. */
static bool read_defaults(pthread_attr_t *ret_attr)
{
    if (real_pthread_getattr_default_np() != NULL) {
        return real_pthread_getattr_default_np()(ret_attr) == 0;
    }
    return real_pthread_attr_init() != NULL && real_pthread_attr_init()(ret_attr) == 0;
}

static bool read_request(const pthread_attr_t *attr, const struct plan_limits *limits,
                         struct changeable *ret)
{
    size_t stored;
    if (real_pthread_attr_getstacksize() == NULL || real_pthread_attr_getguardsize() == NULL ||
        real_pthread_attr_setstacksize() == NULL || real_pthread_attr_setguardsize() == NULL ||
        real_pthread_attr_destroy() == NULL) {
        return false;
    }
    ret->owned = attr == NULL;
    if (attr != NULL) {
        /* Shallow: it may share an extension with the caller's, and is never destroyed. */
        memcpy(&ret->attr, attr, sizeof(ret->attr));
    } else if (!read_defaults(&ret->attr)) {
        return false;
    }
    if (real_pthread_attr_getstacksize()(&ret->attr, &stored) != 0 ||
        real_pthread_attr_getguardsize()(&ret->attr, &ret->request.guard_bytes) != 0) {
        if (ret->owned) {
            (void)real_pthread_attr_destroy()(&ret->attr);
        }
        return false;
    }
    ret->request.size_bytes = runtime_sizes_encoded() ? plan_decode_size(stored, limits) : stored;
    ret->decoded = ret->request.size_bytes != stored;
    ret->request.callers_stack = create_has_callers_stack(&ret->attr);
    return true;
}

static bool apply(const struct stack_plan *plan, pthread_attr_t *attr)
{
    return real_pthread_attr_setguardsize()(attr, plan->guard_bytes) == 0 &&
           real_pthread_attr_setstacksize()(attr, plan->size_bytes) == 0;
}

static int start_with_trampoline(pthread_t *thread, const pthread_attr_t *attr,
                                 void *(*routine)(void *), void *argument, bool bare)
{
    struct start_record *record = stack_start_prepare(routine, argument, bare);
    if (record == NULL) {
        COUNTER_ADD(left_alone_pool_empty, 1);
        return gated_pthread_create(thread, attr, routine, argument);
    }
    uint32_t turn = stack_start_turn(record);
    int result = gated_pthread_create(thread, attr, stack_start_routine, record);
    if (result != 0) {
        stack_start_abandon(record);
    } else if (turn != 0) {
        stack_start_created(record, turn, thread);
    }
    return result;
}

int create_as_asked(pthread_t *thread, const pthread_attr_t *attr, void *(*routine)(void *),
                    void *argument)
{
    struct plan_limits limits;
    struct changeable changeable;
    int before = errno;
    runtime_plan_limits(&limits);
    if (attr != NULL && read_request(attr, &limits, &changeable) && changeable.decoded &&
        real_pthread_attr_setstacksize()(&changeable.attr, changeable.request.size_bytes) == 0) {
        attr = &changeable.attr;
    }
    bool leave_alone =
        pretouch_stack_depth() == 0 || (attr != NULL && create_has_callers_stack(attr));
    errno = before;
    return leave_alone ? gated_pthread_create(thread, attr, routine, argument)
                       : start_with_trampoline(thread, attr, routine, argument, false);
}

static void count(const struct stack_plan *plan)
{
    if (plan->padded) {
        COUNTER_ADD(threads_padded, 1);
    }
    if (plan->guarded) {
        COUNTER_ADD(threads_guarded, 1);
    }
}

/* A stack of the caller's own: only its size may have to be told as it was set. */
static int create_on_callers_stack(pthread_t *thread, struct changeable *changeable,
                                   const struct stack_plan *plan, void *(*routine)(void *),
                                   void *argument)
{
    COUNTER_ADD(left_alone_callers_stack, 1);
    if (changeable->decoded) {
        (void)real_pthread_attr_setstacksize()(&changeable->attr, changeable->request.size_bytes);
    }
    if (plan->flag_callers_stack) {
        flag_callers_stack(&changeable->attr);
    }
    return gated_pthread_create(thread, &changeable->attr, routine, argument);
}

/* The size and guard of a plan, on a copy of the attributes; with neither changed, and no
 * mark in the stored size, the caller's own attributes. NULL where glibc refuses. */
static const pthread_attr_t *planned_attr(const pthread_attr_t *attr, struct changeable *changeable,
                                          const struct stack_plan *plan)
{
    if (!plan->padded && !plan->guarded && !changeable->decoded) {
        return attr;
    }
    return apply(plan, &changeable->attr) ? &changeable->attr : NULL;
}

/* Was it the stack that could not be had, rather than the thread? glibc says EAGAIN of both,
 * and leaves the kernel's word in errno: ENOMEM of mmap and mprotect, EAGAIN of clone, and of
 * mmap too where memory is locked as it is mapped. At a limit of processes a program may try
 * again and again, and a second attempt of ours would double what each costs it. */
static bool may_be_the_stack(int result)
{
    return result != EAGAIN || errno != EAGAIN || growth_is_locked();
}

/* Without a guard, and room for a flag instead. */
static bool is_bare(const struct stack_plan *plan)
{
    return plan->guard_bytes == 0 && map_budget_has_room();
}

static int create_on_new_stack(pthread_t *thread, const pthread_attr_t *attr,
                               struct changeable *changeable, const struct stack_plan *plan,
                               void *(*routine)(void *), void *argument)
{
    int before = errno;
    const pthread_attr_t *planned = planned_attr(attr, changeable, plan);
    if (planned != NULL) {
        int result = start_with_trampoline(thread, planned, routine, argument, is_bare(plan));
        if (result == 0) {
            count(plan);
        }
        if (result == 0 || (!plan->padded && !plan->guarded) || !may_be_the_stack(result)) {
            return result;
        }
    }
    errno = before;
    COUNTER_ADD(retried_as_asked, 1);
    struct stack_plan as_asked = {.size_bytes = changeable->request.size_bytes,
                                  .guard_bytes = changeable->request.guard_bytes};
    const pthread_attr_t *asked = planned_attr(attr, changeable, &as_asked);
    int result = start_with_trampoline(thread, asked != NULL ? asked : attr, routine, argument,
                                       is_bare(&as_asked));
    if (result == 0 && plan->guarded) {
        map_budget_doubt();
    }
    return result;
}

/* The plan, as far as limits and map table permit. */
static struct stack_plan permitted_plan(const struct stack_request *request,
                                        struct plan_limits *limits)
{
    limits->step_aside = top_walk_take_step();
    struct stack_plan plan = plan_stack(request, limits);
    if ((plan.padded || plan.guarded) && !growth_allowed()) {
        COUNTER_ADD(left_alone_no_growth, 1);
        limits->may_pad = limits->may_add_guard = false;
        return plan_stack(request, limits);
    }
    if (plan.guarded && !map_budget_allows(MAP_GUARD)) {
        COUNTER_ADD(left_alone_guard_budget, 1);
        limits->may_add_guard = false;
        return plan_stack(request, limits);
    }
    return plan;
}

int create_thread(pthread_t *thread, const pthread_attr_t *attr, void *(*routine)(void *),
                  void *argument)
{
    struct plan_limits limits;
    struct changeable changeable;
    int before = errno;
    runtime_plan_limits(&limits);
    bool understood = read_request(attr, &limits, &changeable);
    errno = before;
    if (!understood) {
        return gated_pthread_create(thread, attr, routine, argument);
    }
    struct stack_plan plan = permitted_plan(&changeable.request, &limits);
    int result = changeable.request.callers_stack
                     ? create_on_callers_stack(thread, &changeable, &plan, routine, argument)
                     : create_on_new_stack(thread, attr, &changeable, &plan, routine, argument);
    if (changeable.owned) {
        (void)real_pthread_attr_destroy()(&changeable.attr);
    }
    return result;
}
