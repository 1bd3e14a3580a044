#include "shim/default_attr.h"

#include "shim/growth.h"
#include "shim/plan.h"
#include "shim/real.h"
#include "shim/runtime.h"

#include <errno.h>
#include <pthread.h>

typedef size_t recode_function(size_t size_bytes, const struct plan_limits *limits);

static void recode_default_size(recode_function *recode)
{
    if (real_pthread_getattr_default_np() == NULL || real_pthread_setattr_default_np() == NULL ||
        real_pthread_attr_getstacksize() == NULL || real_pthread_attr_setstacksize() == NULL ||
        real_pthread_attr_destroy() == NULL) {
        return;
    }
    pthread_attr_t attr;
    int saved = errno;
    if (real_pthread_getattr_default_np()(&attr) == 0) {
        struct plan_limits limits;
        size_t size, recoded;
        runtime_plan_limits(&limits);
        if (real_pthread_attr_getstacksize()(&attr, &size) == 0 &&
            (recoded = recode(size, &limits)) != size &&
            real_pthread_attr_setstacksize()(&attr, recoded) == 0 &&
            real_pthread_setattr_default_np()(&attr) == 0) {
            runtime_note_sizes_encoded();
        }
        (void)real_pthread_attr_destroy()(&attr);
    }
    errno = saved;
}

void default_attr_encode(void)
{
    if (growth_allowed(runtime_page_bytes())) {
        recode_default_size(plan_encode_size);
    }
}

void default_attr_decode(void)
{
    recode_default_size(plan_decode_size);
}
