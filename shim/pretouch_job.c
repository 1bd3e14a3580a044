#include "shim/pretouch_job.h"

#include "detect/root_read.h"
#include "detect/units.h"
#include "shim/counters.h"
#include "shim/memory_room.h"
#include "shim/pretouch.h"
#include "shim/quiet_thread.h"
#include "shim/range_backing.h"
#include "shim/runtime.h"
#include "shim/wiped_memory.h"

#include <errno.h>
#include <linux/futex.h>
#include <limits.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Between two looks at the stop, and in the background at the machine: less than a ms. */
#define SLICE_BYTES ((size_t)2 * MIB)

/* Between two looks at the limits: some ms. */
#define GRANT_BYTES ((size_t)16 * MIB)

#define SETTING_UP UINT32_C(0x80000000)

struct job {
    /* Written by the thread that took the place, before there are others; a withdrawal
     * may read the last job's. */
    _Atomic uintptr_t start;
    _Atomic size_t bytes;     /* grows where a range is added; by one of its users */
    _Atomic size_t taken;     /* bytes handed out, from the start on; likewise */
    _Atomic unsigned threads; /* as asked for */
    /* Threads that work on it or hand it over; 0: the place is free, SETTING_UP: its one
     * user may not be joined yet. Also what pretouch_job_now waits at. */
    _Atomic uint32_t users;
    _Atomic bool stop; /* any thread, to true */
    bool background;   /* as start */
};

static struct job unwiped_jobs[PRETOUCH_JOBS];
static struct job *jobs = unwiped_jobs; /* by pretouch_job_prepare, before there are any */

void pretouch_job_prepare(void)
{
    struct job *wiped = wiped_memory_map(sizeof(unwiped_jobs));
    if (wiped != NULL) {
        jobs = wiped;
    }
}

static struct job *take_job(uintptr_t start, size_t bytes, unsigned threads, bool background)
{
    for (size_t i = 0; i < PRETOUCH_JOBS; i++) {
        uint32_t nobody = 0;
        if (atomic_compare_exchange_strong(&jobs[i].users, &nobody, SETTING_UP)) {
            jobs[i].threads = threads;
            jobs[i].background = background;
            atomic_store(&jobs[i].taken, 0);
            atomic_store(&jobs[i].start, start);
            atomic_store(&jobs[i].bytes, bytes);
            atomic_store(&jobs[i].stop, false);
            atomic_store(&jobs[i].users, 1);
            return &jobs[i];
        }
    }
    return NULL;
}

static bool join_job(struct job *job)
{
    uint32_t users = atomic_load(&job->users);
    while (users != 0 && users != SETTING_UP) {
        if (atomic_compare_exchange_weak(&job->users, &users, users + 1)) {
            return true;
        }
    }
    return false;
}

static bool has_work(struct job *job)
{
    return !atomic_load(&job->stop) && atomic_load(&job->taken) < atomic_load(&job->bytes);
}

/* false: the caller is the last one, and there is work, added meanwhile perhaps. So none of
 * it is lost between a thread that ends and one that adds. */
static bool leave_job(struct job *job)
{
    uint32_t users = atomic_load(&job->users);
    do {
        if (users == 0) {
            return true; /* a child forked by one of the users, in a signal handler */
        }
        if (users == 1 && has_work(job)) {
            return false;
        }
    } while (!atomic_compare_exchange_weak(&job->users, &users, users - 1));
    if (users == 2) {
        (void)syscall(SYS_futex, &job->users, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, INT_MAX, NULL, NULL,
                      0);
    }
    return true;
}

static void wait_for_others(struct job *job)
{
    uint32_t users;
    while ((users = atomic_load(&job->users)) > 1) {
        (void)syscall(SYS_futex, &job->users, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, users, NULL, NULL,
                      0);
    }
}

/* Is there room for a slice, and for what the other threads may take until they look again?
 * What cannot be told is no room: better a slow first touch than a process killed. */
static bool has_room(const struct job *job, size_t slice)
{
    /* Granted at the last look, and not used yet; a look takes as long as to populate a
     * fraction of a MiB, and some programs come with little more than that at a time. */
    static _Atomic long long granted;
    if (atomic_fetch_sub(&granted, (long long)slice) >= (long long)slice) {
        return true;
    }
    size_t room;
    bool enough = memory_room(ROOT_HOST, &room) && room / job->threads >= GRANT_BYTES;
    atomic_store(&granted, enough ? (long long)(GRANT_BYTES - slice) : 0);
    return enough;
}

static void stop_job(struct job *job, uint64_t *counter)
{
    if (!atomic_exchange(&job->stop, true)) {
        (void)__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
    }
}

static void work(struct job *job)
{
    struct quiet_time time = quiet_thread_time();
    while (has_work(job)) {
        size_t offset = atomic_load(&job->taken), bytes = atomic_load(&job->bytes);
        size_t slice = bytes - offset < SLICE_BYTES ? bytes - offset : SLICE_BYTES;
        if (offset >= bytes ||
            !atomic_compare_exchange_strong(&job->taken, &offset, offset + slice)) {
            continue;
        }
        if (!has_room(job, slice)) {
            stop_job(job, &thpfix_counters.pretouch_at_limit);
            return;
        }
        uintptr_t start = atomic_load(&job->start) + offset;
        /* Unmapped since, and something else put there? munmap is not ours to see. */
        if (job->background && !range_is_memory(ROOT_HOST, start, slice)) {
            stop_job(job, &thpfix_counters.pretouch_given_up);
            return;
        }
        struct pretouch_result result =
            pretouch(start, slice, runtime_page_bytes(), PRETOUCH_MAY_VANISH);
        COUNTER_ADD(pretouch_bytes, result.done_bytes);
        if (result.error != 0) {
            stop_job(job, &thpfix_counters.pretouch_given_up);
        }
        if (job->background) {
            quiet_thread_back_off(&time);
        }
    }
}

static void *help(void *argument)
{
    struct job *job = argument;
    quiet_thread_name("thpfix-pretouch");
    if (job->background) {
        quiet_thread_lower_priority();
    }
    do {
        work(job);
    } while (!leave_job(job));
    return NULL;
}

/* By one of its users. Returns how many there are. */
static unsigned make_threads(struct job *job, unsigned count)
{
    (void)atomic_fetch_add(&job->users, count);
    unsigned made = quiet_threads_start(count, help, job);
    (void)atomic_fetch_sub(&job->users, count - made);
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
    (void)leave_job(job);
    errno = saved;
    return true;
}

/* Leaves a job to its threads. Where there are none and there is work, makes some. */
static bool hand_over(struct job *job)
{
    while (!leave_job(job)) {
        if (make_threads(job, job->threads) == 0) {
            atomic_store(&job->stop, true);
            (void)leave_job(job);
            return false;
        }
    }
    return true;
}

static bool add_to_job(struct job *job, uintptr_t start, size_t bytes)
{
    if (!join_job(job)) {
        return false;
    }
    bool continues = job->background && !atomic_load(&job->stop) &&
                     atomic_load(&job->start) + atomic_load(&job->bytes) == start;
    if (continues) {
        (void)atomic_fetch_add(&job->bytes, bytes);
    }
    return hand_over(job) && continues;
}

bool pretouch_job_background(uintptr_t start, size_t bytes, unsigned threads)
{
    int saved = errno;
    bool done = false;
    for (size_t i = 0; !done && i < PRETOUCH_JOBS; i++) {
        done = add_to_job(&jobs[i], start, bytes);
    }
    if (!done) {
        struct job *job = take_job(start, bytes, threads, true);
        done = job != NULL && hand_over(job);
    }
    errno = saved;
    return done;
}

void pretouch_job_withdraw(uintptr_t start, size_t bytes)
{
    for (size_t i = 0; i < PRETOUCH_JOBS; i++) {
        struct job *job = &jobs[i];
        if (!has_work(job)) {
            continue;
        }
        uintptr_t job_start = atomic_load(&job->start);
        size_t job_bytes = atomic_load(&job->bytes), taken = atomic_load(&job->taken);
        /* What is taken is as good as done, but for the slices that are on the way. */
        size_t done = taken > job->threads * SLICE_BYTES ? taken - job->threads * SLICE_BYTES : 0;
        if (done < job_bytes && start < job_start + job_bytes && start + bytes > job_start + done) {
            stop_job(job, &thpfix_counters.pretouch_given_up);
        }
    }
}
