#include "shim/quiet_thread.h"

#include "detect/units.h"
#include "shim/real.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define STACK_BYTES       ((size_t)64 * KIB)
#define NS_PER_S          UINT64_C(1000000000)
#define TOLERATED_WAIT_NS UINT64_C(100000)
#define BACK_OFF_FACTOR   8
#define LOW_NICE          5

static bool start_with(pthread_attr_t *attr, void *(*routine)(void *), void *argument)
{
    size_t default_bytes;
    pthread_t thread;
    if (pthread_attr_setdetachstate(attr, PTHREAD_CREATE_DETACHED) != 0 ||
        real_pthread_attr_getstacksize()(attr, &default_bytes) != 0) {
        return false;
    }
    (void)real_pthread_attr_setstacksize()(attr, STACK_BYTES);
    int result = real_pthread_create()(&thread, attr, routine, argument);
    /* The program's static TLS may take more than that. */
    if (result == EINVAL && real_pthread_attr_setstacksize()(attr, default_bytes) == 0) {
        result = real_pthread_create()(&thread, attr, routine, argument);
    }
    return result == 0;
}

static bool start_one(void *(*routine)(void *), void *argument)
{
    pthread_attr_t attr;
    if (real_pthread_create() == NULL || real_pthread_attr_init() == NULL ||
        real_pthread_attr_getstacksize() == NULL || real_pthread_attr_setstacksize() == NULL ||
        real_pthread_attr_destroy() == NULL || real_pthread_attr_init()(&attr) != 0) {
        return false;
    }
    bool started = start_with(&attr, routine, argument);
    (void)real_pthread_attr_destroy()(&attr);
    return started;
}

unsigned quiet_threads_start(unsigned count, void *(*routine)(void *), void *argument)
{
    sigset_t all, before;
    unsigned started = 0;
    /* Leaves out the two signals that glibc itself uses: a setuid waits until every thread
     * has taken one. */
    (void)sigfillset(&all);
    /* The new thread inherits the mask. On Linux it is the calling thread's alone, and
     * pthread_sigmask has a symbol version of 2.32. */
    if (sigprocmask(SIG_SETMASK, &all, &before) != 0) {
        return 0;
    }
    while (started < count && start_one(routine, argument)) {
        started++;
    }
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    return started;
}

void quiet_thread_name(const char *name)
{
    (void)prctl(PR_SET_NAME, name);
}

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec now = {0};
    (void)syscall(SYS_clock_gettime, clock, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

struct quiet_time quiet_thread_time(void)
{
    return (struct quiet_time){clock_ns(CLOCK_MONOTONIC), clock_ns(CLOCK_THREAD_CPUTIME_ID)};
}

void quiet_thread_back_off(struct quiet_time *since)
{
    struct quiet_time now = quiet_thread_time();
    uint64_t lived_ns = now.lived_ns - since->lived_ns, run_ns = now.run_ns - since->run_ns;
    if (lived_ns > run_ns + TOLERATED_WAIT_NS) {
        uint64_t sleep_ns = (lived_ns - run_ns) * BACK_OFF_FACTOR;
        sleep_ns = sleep_ns < NS_PER_S ? sleep_ns : NS_PER_S - 1;
        struct timespec pause = {0, (long)sleep_ns};
        (void)syscall(SYS_nanosleep, &pause, NULL);
        now = quiet_thread_time();
    }
    *since = now;
}

void quiet_thread_lower_priority(void)
{
    static const struct sched_param none = {0};
    (void)syscall(SYS_sched_setscheduler, 0, SCHED_BATCH, &none);
    (void)syscall(SYS_setpriority, PRIO_PROCESS, 0, LOW_NICE);
}
