/* pthread_exit: from the routine, from deep below it, with cleanup handlers and
 * thread-specific data, and from main while other threads go on. */
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/child.h"
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_key_t key;
static int cleanups;
static int destructors;

static void count_up(void *counter)
{
    ++*(int *)counter;
}

__attribute__((noinline)) static void exit_two_below(void *result)
{
    pthread_cleanup_push(count_up, &cleanups);
    pthread_exit(result);
    pthread_cleanup_pop(0);
}

__attribute__((noinline)) static void exit_below(void *result)
{
    pthread_cleanup_push(count_up, &cleanups);
    exit_two_below(result);
    pthread_cleanup_pop(0);
}

static void *exits_at_once(void *argument)
{
    pthread_exit(argument);
}

static void *exits_deep_down(void *argument)
{
    CHECK_OK(pthread_setspecific(key, &destructors));
    exit_below(argument);
    return NULL; /* not reached: the join would see it */
}

static void *outlives_main(void *argument)
{
    pthread_t *main_thread = argument;
    CHECK_OK(pthread_join(*main_thread, NULL));
    /* Ends the process through exit, as the last thread of one would. */
    exit(42);
}

static void main_exits_first(void *context)
{
    static pthread_t main_thread;
    pthread_t thread;
    (void)context;
    main_thread = pthread_self();
    CHECK_OK(pthread_create(&thread, NULL, outlives_main, &main_thread));
    pthread_exit(NULL);
}

int main(void)
{
    CHECK_OK(pthread_key_create(&key, count_up));
    pthread_attr_t attr;
    make_attr(&attr, (size_t)2 << 20, 0);
    for (uintptr_t i = 1; i <= 100; i++) {
        CHECK_EQUAL((uintptr_t)run_thread(&attr, exits_at_once, (void *)i), i);
        CHECK_EQUAL((uintptr_t)run_thread(&attr, exits_deep_down, (void *)i), i);
        CHECK_EQUAL(cleanups, 2 * i);
        CHECK_EQUAL(destructors, i);
    }
    int status = child_run(main_exits_first, NULL);
    CHECK(WIFEXITED(status));
    CHECK_EQUAL(WEXITSTATUS(status), 42);
    return finish();
}
