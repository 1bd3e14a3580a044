/* Detached threads run and end: by attr, and by pthread_detach from either side. */
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/memory.h"
#include <semaphore.h>
#include <stdint.h>
#include <unistd.h>

#define ROUNDS 500

static sem_t ended;

static void *plain(void *argument)
{
    stack_fill((size_t)32 * 1024, (unsigned char)(uintptr_t)argument, NULL, NULL);
    sem_post(&ended);
    return NULL;
}

static void *detaches_itself(void *argument)
{
    CHECK_OK(pthread_detach(pthread_self()));
    return plain(argument);
}

static void *checks_that_it_is_detached(void *argument)
{
    pthread_attr_t attr;
    int state;
    CHECK_OK(pthread_getattr_np(pthread_self(), &attr));
    CHECK_OK(pthread_attr_getdetachstate(&attr, &state));
    CHECK_EQUAL(state, PTHREAD_CREATE_DETACHED);
    CHECK_OK(pthread_attr_destroy(&attr));
    return plain(argument);
}

int main(void)
{
    CHECK_OK(sem_init(&ended, 0, 0));
    pthread_attr_t detached, joinable;
    make_attr(&detached, (size_t)2 << 20, 0);
    make_attr(&joinable, (size_t)2 << 20, 0);
    CHECK_OK(pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED));

    for (uintptr_t i = 0; i < ROUNDS; i++) {
        pthread_t thread;
        CHECK_OK(pthread_create(&thread, &detached, checks_that_it_is_detached, (void *)i));
        CHECK_OK(pthread_create(&thread, &joinable, detaches_itself, (void *)i));
        CHECK_OK(pthread_create(&thread, &joinable, plain, (void *)i));
        CHECK_OK(pthread_detach(thread));
        for (int n = 0; n < 3; n++) {
            CHECK_OK(sem_wait(&ended));
        }
    }
    return finish();
}
