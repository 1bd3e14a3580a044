/* The interposed functions of <pthread.h>. */

#include "shim/counters.h"
#include "shim/create.h"
#include "shim/gated_create.h"
#include "shim/growth.h"
#include "shim/plan.h"
#include "shim/pretouch_config.h"
#include "shim/real.h"
#include "shim/runtime.h"
#include "shim/sites_hook.h"

#include <errno.h>
#include <pthread.h>

#define EXPORT __attribute__((visibility("default")))

static int create(pthread_t *thread, const pthread_attr_t *attr, void *(*routine)(void *),
                  void *argument)
{
    if (runtime_active()) {
        return create_thread(thread, attr, routine, argument);
    }
    return runtime_sizes_encoded() || pretouch_stack_depth() != 0
               ? create_as_asked(thread, attr, routine, argument)
               : gated_pthread_create(thread, attr, routine, argument);
}

EXPORT int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attr,
                          void *(*routine)(void *), void *restrict argument)
{
    COUNTER_ADD(threads_seen, 1);
    return sites_recording()
               ? sites_create(create, thread, attr, routine, argument, __builtin_return_address(0))
               : create(thread, attr, routine, argument);
}

EXPORT int pthread_attr_setstacksize(pthread_attr_t *attr, size_t size)
{
    real_pthread_attr_setstacksize_function *real = real_pthread_attr_setstacksize();
    if (real == NULL) {
        return EINVAL;
    }
    if (runtime_active() && !create_has_callers_stack(attr)) {
        struct plan_limits limits;
        runtime_plan_limits(&limits);
        size_t stored = plan_encode_size(size, &limits);
        if (stored != size && growth_allowed() && real(attr, stored) == 0) {
            runtime_note_sizes_encoded();
            return 0;
        }
    }
    return real(attr, size);
}

/* What was set is what is read: see plan_encode_size. */
static size_t decoded(size_t stored)
{
    struct plan_limits limits;
    if (!runtime_sizes_encoded()) {
        return stored;
    }
    runtime_plan_limits(&limits);
    return plan_decode_size(stored, &limits);
}

EXPORT int pthread_attr_getstacksize(const pthread_attr_t *restrict attr, size_t *restrict size)
{
    real_pthread_attr_getstacksize_function *real = real_pthread_attr_getstacksize();
    if (real == NULL) {
        return EINVAL;
    }
    int result = real(attr, size);
    if (result == 0) {
        *size = decoded(*size);
    }
    return result;
}

EXPORT int pthread_attr_getstack(const pthread_attr_t *restrict attr, void **restrict address,
                                 size_t *restrict size)
{
    real_pthread_attr_getstack_function *real = real_pthread_attr_getstack();
    if (real == NULL) {
        return EINVAL;
    }
    int result = real(attr, address, size);
    if (result == 0) {
        /* glibc keeps the top and the size, and counts down from the top. */
        size_t stored = *size;
        *size = decoded(stored);
        *address = (char *)*address + (stored - *size);
    }
    return result;
}
