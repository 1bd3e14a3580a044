/* pthread_create and the attribute functions are no cancellation points: a creator with
 * a deferred cancel pending comes back from them with a thread made. */
#include "tests/e2e/behaviour/check.h"
#include <semaphore.h>
#include <stdatomic.h>

#define ROUNDS 200

static sem_t ran;
static atomic_int made;

static void *runs(void *argument)
{
    CHECK_OK(sem_post(&ran));
    return argument;
}

static void *creates_while_cancelled(void *argument)
{
    pthread_attr_t attr;
    pthread_t thread;
    (void)argument;
    CHECK_OK(pthread_cancel(pthread_self()));
    make_attr(&attr, (size_t)2 << 20, 0);
    CHECK_OK(pthread_create(&thread, &attr, runs, NULL));
    CHECK_OK(pthread_detach(thread));
    CHECK_OK(pthread_create(&thread, NULL, runs, NULL));
    CHECK_OK(pthread_detach(thread));
    CHECK_OK(pthread_attr_destroy(&attr));
    atomic_fetch_add(&made, 2);
    pthread_testcancel();
    check_failed(__FILE__, __LINE__, "the pending cancel acts in the end");
}

int main(void)
{
    CHECK_OK(sem_init(&ran, 0, 0));
    for (int i = 0; i < ROUNDS; i++) {
        CHECK(run_thread(NULL, creates_while_cancelled, NULL) == PTHREAD_CANCELED);
        CHECK_EQUAL(made, 2 * (i + 1));
        CHECK_OK(sem_wait(&ran));
        CHECK_OK(sem_wait(&ran));
    }
    return finish();
}
