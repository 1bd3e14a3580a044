/* Where there is nothing to do, nothing is done: a thread has exactly the stack and the
 * guard that the C library gives it. */
#include "detect/counters_abi.h"
#include "detect/verdict.h"
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/direct.h"
#include "tests/e2e/behaviour/memory.h"

#define MIB ((size_t)1024 * 1024)

static void *look(void *argument)
{
    live_stack_of_caller(argument);
    return NULL;
}

static void same_stack(const pthread_attr_t *attr)
{
    struct live_stack with, without;
    pthread_t thread;
    run_thread(attr, look, &with);
    CHECK_OK(direct()->create(&thread, attr, look, &without));
    CHECK_OK(pthread_join(thread, NULL));
    /* The second may be the first's, out of the cache, and would be whatever its size. */
    CHECK_EQUAL(with.size_bytes, without.size_bytes);
    CHECK_EQUAL(with.guard_bytes, without.guard_bytes);
}

static void stack_is_as_asked(size_t size, size_t guard)
{
    pthread_attr_t attr;
    struct live_stack stack;
    size_t direct_size;
    make_attr(&attr, size, (long)guard);
    CHECK_OK(direct()->attr_getstacksize(&attr, &direct_size));
    CHECK_EQUAL(direct_size, size);
    run_thread(&attr, look, &stack);
    /* glibc before 2.34 makes stacks of a multiple of 64 KiB a page larger, on x86-64. */
    CHECK(stack.size_bytes == size || stack.size_bytes == size + 4096);
    CHECK_EQUAL(stack.guard_bytes, guard);
    same_stack(&attr);
    CHECK_OK(pthread_attr_destroy(&attr));
}

int main(void)
{
    const struct counters *counters = library_counters();
    same_stack(NULL);
    if (counters != NULL && counters->verdict_reason == VERDICT_REASON_AFFECTED) {
        skip("this host gives thread stacks huge pages: the library is not inert");
    }
    /* Ascending, so that each is made anew. */
    stack_is_as_asked(16 * MIB, 0);
    stack_is_as_asked(18 * MIB, 4096);
    stack_is_as_asked(20 * MIB, 65536);
    return finish();
}
