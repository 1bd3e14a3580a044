/* What happens to threads that end before they return. */
#include "churn_make.h"
#include <err.h>
#include <unistd.h>

static void count_cleanup(void *argument)
{
    const struct task *task = argument;

    atomic_fetch_add(task->cleanups, 1);
}

static void *leave_from_below(void *argument)
{
    const struct task *task = argument;

    pthread_cleanup_push(count_cleanup, argument);
    use_stack(task->touch_bytes);
    pthread_exit(CANARY);
    pthread_cleanup_pop(0);
    return NULL;
}

static void *wait_for_cancel(void *argument)
{
    struct task *task = argument;

    pthread_cleanup_push(count_cleanup, argument);
    use_stack(task->touch_bytes);
    atomic_store(&task->started, true);
    for (;;)
        pause();
    pthread_cleanup_pop(0);
    return NULL;
}

static void *spin_until_cancelled(void *argument)
{
    struct task *task = argument;

    pthread_cleanup_push(count_cleanup, argument);
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    atomic_store(&task->started, true);
    for (;;)
        continue;
    pthread_cleanup_pop(0);
    return NULL;
}

static void ends_with_cleanup(void *(*routine)(void *), const void *wanted, uint64_t *random)
{
    atomic_int cleanups = 0;
    struct task task = {.cleanups = &cleanups};
    pthread_t thread;

    create_random(&thread, routine, &task, random);
    if (wanted == PTHREAD_CANCELED) {
        /* One that comes before the routine runs must not be lost. */
        while (churn_random(random, 4) > 0 && !atomic_load(&task.started))
            usleep(100);
        must(pthread_cancel(thread), "pthread_cancel");
    }
    join_thread(thread, wanted);
    if (cleanups != 1)
        errx(1, "%d cleanup handlers ran instead of one", cleanups);
}

void churn_thread_exit(uint64_t *random)
{
    ends_with_cleanup(leave_from_below, CANARY, random);
}

void churn_cancel_deferred(uint64_t *random)
{
    ends_with_cleanup(wait_for_cancel, PTHREAD_CANCELED, random);
}

void churn_cancel_at_once(uint64_t *random)
{
    ends_with_cleanup(spin_until_cancelled, PTHREAD_CANCELED, random);
}
