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
#include <unistd.h>

#define STACK_BYTES ((size_t)64 * KIB)

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

void quiet_thread_lower_priority(void)
{
    static const struct sched_param none = {0};
    (void)syscall(SYS_sched_setscheduler, 0, SCHED_BATCH, &none);
    (void)syscall(SYS_setpriority, PRIO_PROCESS, 0, 19);
}
