#include "shim/pretouch_job.h"

#include "detect/root_read.h"
#include "detect/units.h"
#include "shim/counters.h"
#include "shim/memory_room.h"
#include "shim/pretouch.h"
#include "shim/real.h"
#include "shim/runtime.h"

#include <errno.h>
#include <linux/futex.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Between two looks at the limits and at the stop: some ms. */
#define SLICE_BYTES ((size_t)16 * MIB)

#define HELPER_STACK_BYTES ((size_t)64 * KIB)

struct job {
    /* Threads that work on it; 0: the place is free. Taken by compare-and-swap, left by
     * whoever counts it down to 0; also what pretouch_job_now waits at. */
    _Atomic uint32_t users;
    /* Written by the thread that took the place, before there are others; a withdrawal
     * may read the last job's. */
    _Atomic uintptr_t start;
    _Atomic size_t bytes;
    _Atomic bool stop;    /* any thread, to true */
    _Atomic size_t taken; /* bytes handed out, from the start on; any of its threads */
    unsigned threads;     /* as asked for */
    bool background;
};

static struct job jobs[8];

static struct job *take_job(uintptr_t start, size_t bytes, unsigned threads, bool background)
{
    for (size_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++) {
        uint32_t nobody = 0;
        if (atomic_compare_exchange_strong(&jobs[i].users, &nobody, 1)) {
            atomic_store(&jobs[i].start, start);
            atomic_store(&jobs[i].bytes, bytes);
            atomic_store(&jobs[i].taken, 0);
            jobs[i].threads = threads;
            jobs[i].background = background;
            atomic_store(&jobs[i].stop, false);
            return &jobs[i];
        }
    }
    return NULL;
}

/* Leaves a job to its other threads. */
static void leave_job(struct job *job)
{
    /* The last but one leaves the thread alone that waits for the others, if any does. */
    if (atomic_fetch_sub(&job->users, 1) == 2) {
        (void)syscall(SYS_futex, &job->users, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, INT_MAX, NULL, NULL,
                      0);
    }
}

static void wait_for_others(struct job *job)
{
    uint32_t users;
    while ((users = atomic_load(&job->users)) != 1) {
        (void)syscall(SYS_futex, &job->users, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, users, NULL, NULL,
                      0);
    }
}

/* Room for what all the threads may take until they look again. What cannot be told is
 * no room: better a slow first touch than a process killed. */
static bool has_room(const struct job *job)
{
    size_t room;
    return memory_room(ROOT_HOST, &room) && room >= job->threads * SLICE_BYTES;
}

static void work(struct job *job)
{
    size_t bytes = atomic_load(&job->bytes);
    while (!atomic_load(&job->stop)) {
        size_t offset = atomic_fetch_add(&job->taken, SLICE_BYTES);
        if (offset >= bytes) {
            return;
        }
        if (!has_room(job)) {
            if (!atomic_exchange(&job->stop, true)) {
                COUNTER_ADD(pretouch_at_limit, 1);
            }
            return;
        }
        size_t slice = bytes - offset < SLICE_BYTES ? bytes - offset : SLICE_BYTES;
        struct pretouch_result result = pretouch(atomic_load(&job->start) + offset, slice,
                                                 runtime_page_bytes(), PRETOUCH_MAY_VANISH);
        COUNTER_ADD(pretouch_bytes, result.done_bytes);
        if (result.error != 0 && !atomic_exchange(&job->stop, true)) {
            COUNTER_ADD(pretouch_given_up, 1);
        }
    }
}

static void *help(void *argument)
{
    struct job *job = argument;
    (void)prctl(PR_SET_NAME, "thpfix-pretouch");
    if (job->background) {
        /* Not SCHED_IDLE: the process's lock on its mappings is held while a page is
         * made, and who has it must get some time on a busy machine. */
        static const struct sched_param none = {0};
        (void)syscall(SYS_sched_setscheduler, 0, SCHED_BATCH, &none);
        (void)syscall(SYS_setpriority, PRIO_PROCESS, 0, 19);
    }
    work(job);
    leave_job(job);
    return NULL;
}

/* Small; with the default size where the program's static TLS takes more than that. */
static bool make_thread(struct job *job)
{
    real_pthread_create_function *create = real_pthread_create();
    pthread_attr_t attr;
    pthread_t thread;
    if (create == NULL || real_pthread_attr_init() == NULL ||
        real_pthread_attr_setstacksize() == NULL || real_pthread_attr_destroy() == NULL ||
        real_pthread_attr_init()(&attr) != 0) {
        return false;
    }
    size_t default_bytes = 0;
    int result = pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    if (result == 0 && real_pthread_attr_getstacksize() != NULL &&
        real_pthread_attr_getstacksize()(&attr, &default_bytes) == 0) {
        (void)real_pthread_attr_setstacksize()(&attr, HELPER_STACK_BYTES);
        result = create(&thread, &attr, help, job);
        if (result == EINVAL && real_pthread_attr_setstacksize()(&attr, default_bytes) == 0) {
            result = create(&thread, &attr, help, job);
        }
    }
    (void)real_pthread_attr_destroy()(&attr);
    return result == 0;
}

/* Returns how many there are. All signals are blocked on them from the first: the mask is
 * inherited. (sigfillset leaves out those that glibc itself uses, for setuid.) */
static unsigned make_threads(struct job *job, unsigned count)
{
    sigset_t all, before;
    unsigned made = 0;
    (void)sigfillset(&all);
    /* On Linux of the calling thread only; pthread_sigmask has a symbol version of 2.32. */
    if (sigprocmask(SIG_SETMASK, &all, &before) != 0) {
        return 0;
    }
    for (; made < count; made++) {
        atomic_fetch_add(&job->users, 1);
        if (!make_thread(job)) {
            atomic_fetch_sub(&job->users, 1);
            break;
        }
    }
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    return made;
}

bool pretouch_job_now(uintptr_t start, size_t bytes, unsigned threads)
{
    int saved = errno;
    struct job *job = take_job(start, bytes, threads, false);
    if (job == NULL) {
        return false;
    }
    (void)make_threads(job, threads - 1);
    work(job);
    wait_for_others(job);
    atomic_store(&job->users, 0);
    errno = saved;
    return true;
}

bool pretouch_job_background(uintptr_t start, size_t bytes, unsigned threads)
{
    int saved = errno;
    struct job *job = take_job(start, bytes, threads, true);
    if (job == NULL) {
        return false;
    }
    unsigned made = make_threads(job, threads);
    leave_job(job);
    errno = saved;
    return made != 0;
}

void pretouch_job_withdraw(uintptr_t start, size_t bytes)
{
    for (size_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++) {
        struct job *job = &jobs[i];
        if (atomic_load(&job->users) == 0) {
            continue;
        }
        uintptr_t job_start = atomic_load(&job->start);
        size_t job_bytes = atomic_load(&job->bytes), taken = atomic_load(&job->taken);
        /* What is taken is as good as done, but for the slices that are on the way. */
        size_t done = taken > job->threads * SLICE_BYTES ? taken - job->threads * SLICE_BYTES : 0;
        if (done < job_bytes && start < job_start + job_bytes && start + bytes > job_start + done &&
            !atomic_exchange(&job->stop, true)) {
            COUNTER_ADD(pretouch_given_up, 1);
        }
    }
}
