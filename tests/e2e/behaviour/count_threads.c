#include "tests/e2e/behaviour/count_threads.h"

#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/child.h"
#include "tests/e2e/behaviour/direct.h"
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static void *stays(void *argument)
{
    for (;;) {
        pause();
    }
    return argument;
}

static long make_threads(void *context)
{
    const struct thread_count *count = context;
    /* What the first thread of a process needs besides its stack is had in advance. */
    free(malloc((size_t)256 * 1024));
    pthread_attr_t attr;
    CHECK_OK(pthread_attr_init(&attr));
    CHECK_OK(pthread_attr_setguardsize(&attr, 0));
    CHECK_OK(count->past_the_library ? direct()->attr_setstacksize(&attr, count->stack_bytes)
                                     : pthread_attr_setstacksize(&attr, count->stack_bytes));
    count->set_limit(count);
    long made = 0;
    for (; made < count->at_most; made++) {
        pthread_t thread;
        int result = count->past_the_library ? direct()->create(&thread, &attr, stays, NULL)
                                             : pthread_create(&thread, &attr, stays, NULL);
        if (result != 0) {
            CHECK_EQUAL(result, EAGAIN);
            break;
        }
    }
    return made;
}

void check_same_count(struct thread_count count, long expected)
{
    direct(); /* found before there is a limit */
    count.past_the_library = true;
    long without = child_number(make_threads, &count);
    count.past_the_library = false;
    long with = child_number(make_threads, &count);
    CHECK_EQUAL(with, without);
    CHECK_EQUAL(without, expected);
    CHECK(without < count.at_most);
}
