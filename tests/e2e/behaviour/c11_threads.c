/* thrd_create, which no wrapper of pthread_create sees, works beside it. */
#include "tests/e2e/behaviour/check.h"
#include <threads.h>

static tss_t key;
static int destroyed;

static void destroy(void *value)
{
    ++*(int *)value;
}

static int returns(void *argument)
{
    CHECK_EQUAL(tss_set(key, &destroyed), thrd_success);
    return *(int *)argument + 1;
}

static int exits(void *argument)
{
    thrd_exit(*(int *)argument + 2);
}

static void *nothing(void *argument)
{
    return argument;
}

int main(void)
{
    CHECK_EQUAL(tss_create(&key, destroy), thrd_success);
    for (int i = 0; i < 200; i++) {
        thrd_t first, second;
        int result;
        CHECK_EQUAL(thrd_create(&first, returns, &i), thrd_success);
        CHECK_EQUAL(thrd_create(&second, exits, &i), thrd_success);
        CHECK(run_thread(NULL, nothing, &i) == &i);
        CHECK_EQUAL(thrd_join(first, &result), thrd_success);
        CHECK_EQUAL(result, i + 1);
        CHECK_EQUAL(thrd_join(second, &result), thrd_success);
        CHECK_EQUAL(result, i + 2);
        CHECK_EQUAL(destroyed, i + 1);
    }
    return finish();
}
