/* Threads create threads, several levels deep, and join them. */
#include "tests/e2e/behaviour/check.h"
#include <stdatomic.h>
#include <stdint.h>

#define LEVELS   5
#define BRANCHES 4

static pthread_attr_t attr;
static atomic_int created;

static void *branch(void *argument)
{
    uintptr_t level = (uintptr_t)argument;
    pthread_t threads[BRANCHES];
    atomic_fetch_add(&created, 1);
    if (level == 0) {
        return NULL;
    }
    for (int i = 0; i < BRANCHES; i++) {
        /* The shared attr and no attr by turns. */
        CHECK_OK(
            pthread_create(&threads[i], i % 2 == 0 ? &attr : NULL, branch, (void *)(level - 1)));
    }
    for (int i = 0; i < BRANCHES; i++) {
        CHECK_OK(pthread_join(threads[i], NULL));
    }
    return NULL;
}

int main(void)
{
    int expected = 0;
    int of_level = 1;
    for (int level = 0; level <= LEVELS; level++) {
        expected += of_level;
        of_level *= BRANCHES;
    }
    make_attr(&attr, (size_t)2 << 20, 0);
    run_thread(&attr, branch, (void *)(uintptr_t)LEVELS);
    CHECK_EQUAL(created, expected);
    return finish();
}
