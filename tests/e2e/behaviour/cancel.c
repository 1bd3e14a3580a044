/* Cancellation reaches new threads as it would by itself: deferred, asynchronous, and
 * sent right after the creation; cleanup handlers run, and the join says so. */
#include "tests/e2e/behaviour/check.h"
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <unistd.h>

#define ROUNDS 2000

static sem_t running;
static atomic_int entered;
static atomic_int cleaned;

static void clean(void *context)
{
    (void)context;
    atomic_fetch_add(&cleaned, 1);
}

static void *blocks(void *argument)
{
    (void)argument;
    atomic_fetch_add(&entered, 1);
    pthread_cleanup_push(clean, NULL);
    sem_post(&running);
    for (;;) {
        pause();
    }
    pthread_cleanup_pop(0);
    return NULL;
}

static void *spins(void *argument)
{
    int old;
    (void)argument;
    pthread_cleanup_push(clean, NULL);
    CHECK_OK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old));
    CHECK_EQUAL(old, PTHREAD_CANCEL_DEFERRED);
    sem_post(&running);
    for (volatile unsigned n = 0;; n++) {
    }
    pthread_cleanup_pop(0);
    return NULL;
}

static void *does_not_let_itself_be_cancelled(void *argument)
{
    CHECK_OK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL));
    sem_post(&running);
    usleep(1000);
    return argument;
}

static void cancel_and_join(pthread_t thread)
{
    void *result;
    CHECK_OK(pthread_cancel(thread));
    CHECK_OK(pthread_join(thread, &result));
    CHECK(result == PTHREAD_CANCELED);
}

static void once_it_runs(const pthread_attr_t *attr, void *(*routine)(void *))
{
    pthread_t thread;
    int before = cleaned;
    CHECK_OK(pthread_create(&thread, attr, routine, NULL));
    CHECK_OK(sem_wait(&running));
    cancel_and_join(thread);
    CHECK_EQUAL(cleaned, before + 1);
}

int main(void)
{
    pthread_attr_t attr;
    CHECK_OK(sem_init(&running, 0, 0));
    make_attr(&attr, (size_t)2 << 20, 0);

    for (int i = 0; i < ROUNDS; i++) {
        once_it_runs(i % 2 == 0 ? &attr : NULL, blocks);
    }
    for (int i = 0; i < ROUNDS / 10; i++) {
        once_it_runs(&attr, spins);
    }

    /* The start of a thread is no cancellation point: a thread that is cancelled at once
     * still enters its routine, and is cancelled at the first point in there. */
    int entered_before = entered;
    int cleaned_before = cleaned;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_t thread;
        CHECK_OK(pthread_create(&thread, &attr, blocks, NULL));
        cancel_and_join(thread);
    }
    CHECK_EQUAL(entered - entered_before, ROUNDS);
    CHECK_EQUAL(cleaned - cleaned_before, ROUNDS);

    pthread_t thread;
    void *result;
    CHECK_OK(sem_destroy(&running));
    CHECK_OK(sem_init(&running, 0, 0));
    CHECK_OK(pthread_create(&thread, &attr, does_not_let_itself_be_cancelled, &running));
    CHECK_OK(sem_wait(&running));
    CHECK_OK(pthread_cancel(thread));
    CHECK_OK(pthread_join(thread, &result));
    CHECK(result == &running);
    return finish();
}
