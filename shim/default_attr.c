#include "shim/default_attr.h"

#include "shim/real.h"

#include <errno.h>
#include <pthread.h>

typedef size_t recode_function(size_t size_bytes, const struct plan_limits *limits);

static bool recode_default_size(recode_function *recode, const struct plan_limits *limits)
{
    if (real_pthread_getattr_default_np() == NULL || real_pthread_setattr_default_np() == NULL ||
        real_pthread_attr_getstacksize() == NULL || real_pthread_attr_setstacksize() == NULL ||
        real_pthread_attr_destroy() == NULL) {
        return false;
    }
    pthread_attr_t attr;
    int saved = errno;
    bool recoded = false;
    if (real_pthread_getattr_default_np()(&attr) == 0) {
        size_t size;
        if (real_pthread_attr_getstacksize()(&attr, &size) == 0 && recode(size, limits) != size) {
            recoded = real_pthread_attr_setstacksize()(&attr, recode(size, limits)) == 0 &&
                      real_pthread_setattr_default_np()(&attr) == 0;
        }
        (void)real_pthread_attr_destroy()(&attr);
    }
    errno = saved;
    return recoded;
}

bool default_attr_encode(const struct plan_limits *limits)
{
    return recode_default_size(plan_encode_size, limits);
}

void default_attr_decode(const struct plan_limits *limits)
{
    (void)recode_default_size(plan_decode_size, limits);
}
