/* Built as libjvm.so: a JVM_StartThread that sees how many are inside at once. */
#include "fake_vm.h"

#include <time.h>

#define COMPANY_WAIT_MS 200

static int inside, most_inside;

EXPORT int fake_vm_most_inside(void)
{
    return __atomic_load_n(&most_inside, __ATOMIC_ACQUIRE);
}

static long long now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Stays until another thread is inside too, or it is clear that none will come. */
EXPORT void JVM_StartThread(struct fake_env *env, void *thread)
{
    (void)env;
    const int now_inside = __atomic_add_fetch(&inside, 1, __ATOMIC_ACQ_REL);
    int most = __atomic_load_n(&most_inside, __ATOMIC_ACQUIRE);
    while (now_inside > most && !__atomic_compare_exchange_n(&most_inside, &most, now_inside, 0,
                                                             __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    }
    const long long until_ms = now_ms() + COMPANY_WAIT_MS;
    while (fake_vm_most_inside() < 2 && now_ms() < until_ms) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    __atomic_sub_fetch(&inside, 1, __ATOMIC_ACQ_REL);
    __atomic_add_fetch((int *)thread, 1, __ATOMIC_ACQ_REL);
}
