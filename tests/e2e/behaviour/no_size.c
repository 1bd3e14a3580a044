/* No attr, an attr without a size, and a default that the program sets itself: the size
 * that results is at least the default, and what is read back is what was set. */
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/memory.h"

#define MIB ((size_t)1024 * 1024)

static void *look(void *argument)
{
    struct live_stack *stack = argument;
    live_stack_of_caller(stack);
    live_stack_touch(stack);
    return NULL;
}

static size_t default_size(void)
{
    pthread_attr_t attr;
    size_t size;
    CHECK_OK(pthread_getattr_default_np(&attr));
    CHECK_OK(pthread_attr_getstacksize(&attr, &size));
    CHECK_OK(pthread_attr_destroy(&attr));
    return size;
}

static size_t size_of_fresh_attr(void)
{
    pthread_attr_t attr;
    size_t size;
    CHECK_OK(pthread_attr_init(&attr));
    CHECK_OK(pthread_attr_getstacksize(&attr, &size));
    CHECK_OK(pthread_attr_destroy(&attr));
    return size;
}

static void set_default(size_t size)
{
    pthread_attr_t attr;
    CHECK_OK(pthread_attr_init(&attr));
    CHECK_OK(pthread_attr_setstacksize(&attr, size));
    CHECK_OK(pthread_setattr_default_np(&attr));
    CHECK_OK(pthread_attr_destroy(&attr));
}

static void threads_have_at_least(size_t size)
{
    pthread_attr_t attr;
    struct live_stack stack;
    run_thread(NULL, look, &stack);
    CHECK(stack.size_bytes + stack.guard_bytes >= size);
    CHECK_OK(pthread_attr_init(&attr));
    run_thread(&attr, look, &stack);
    CHECK(stack.size_bytes + stack.guard_bytes >= size);
    /* Not more than what keeps it clear of huge pages, either: sizes ascend, so no stack
     * comes from the cache. */
    CHECK(stack.size_bytes < size + MIB / 2);
    CHECK_OK(pthread_attr_destroy(&attr));
}

int main(void)
{
    size_t initial = default_size();
    CHECK_EQUAL(size_of_fresh_attr(), initial);

    static const size_t sizes[] = {MIB, 2 * MIB, 3 * MIB + 4096, 4 * MIB, 8 * MIB, 16 * MIB};
    set_default(MIB / 2);
    set_default(initial);
    CHECK_EQUAL(default_size(), initial);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        set_default(sizes[i]);
        CHECK_EQUAL(default_size(), sizes[i]);
        CHECK_EQUAL(size_of_fresh_attr(), sizes[i]);
        threads_have_at_least(sizes[i]);
    }

    /* What was read is set again, as programs do to save and restore it. */
    pthread_attr_t saved;
    CHECK_OK(pthread_getattr_default_np(&saved));
    set_default(MIB);
    CHECK_OK(pthread_setattr_default_np(&saved));
    CHECK_OK(pthread_attr_destroy(&saved));
    CHECK_EQUAL(default_size(), 16 * MIB);
    return finish();
}
