/* A process forks while other threads of it create threads; the child creates threads,
 * and so does the grandchild. */
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/child.h"
#include <stdatomic.h>
#include <stdint.h>

#define CREATORS 3
#define FORKS    100

static pthread_attr_t attr;
static atomic_bool stop;
static atomic_long created;

static void *nothing(void *argument)
{
    return argument;
}

static void *creates(void *argument)
{
    while (!stop) {
        CHECK(run_thread(&attr, nothing, argument) == argument);
        atomic_fetch_add(&created, 1);
    }
    return NULL;
}

static void create_some(void)
{
    pthread_t threads[4];
    for (uintptr_t i = 0; i < 4; i++) {
        CHECK_OK(pthread_create(&threads[i], i == 0 ? NULL : &attr, nothing, (void *)i));
    }
    for (uintptr_t i = 0; i < 4; i++) {
        void *result;
        CHECK_OK(pthread_join(threads[i], &result));
        CHECK_EQUAL((uintptr_t)result, i);
    }
}

static void grandchild(void *context)
{
    (void)context;
    create_some();
    CHECK_EQUAL(finish(), 0);
}

static void child(void *context)
{
    create_some();
    child_must_succeed(grandchild, context);
    create_some();
}

int main(void)
{
    pthread_t creators[CREATORS];
    make_attr(&attr, (size_t)2 << 20, 0);
    for (int i = 0; i < CREATORS; i++) {
        CHECK_OK(pthread_create(&creators[i], NULL, creates, &attr));
    }
    while (created == 0) {
        create_some();
    }
    for (int i = 0; i < FORKS; i++) {
        child_must_succeed(child, NULL);
    }
    stop = true;
    for (int i = 0; i < CREATORS; i++) {
        CHECK_OK(pthread_join(creators[i], NULL));
    }
    return finish();
}
