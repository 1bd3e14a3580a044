/* Creators that go past the library, by dlsym on the C library itself, meet attrs that
 * went through it, and the other way about. */
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/direct.h"
#include "tests/e2e/behaviour/memory.h"

#define MIB ((size_t)1024 * 1024)

static void *look(void *argument)
{
    struct live_stack *stack = argument;
    live_stack_of_caller(stack);
    live_stack_touch(stack);
    return NULL;
}

static void create_past_the_library(size_t size)
{
    pthread_attr_t attr;
    pthread_t thread;
    struct live_stack stack;
    make_attr(&attr, size, 0);
    CHECK_OK(direct()->create(&thread, &attr, look, &stack));
    CHECK_OK(pthread_join(thread, NULL));
    CHECK(stack.size_bytes >= size);
    CHECK_OK(pthread_attr_destroy(&attr));
}

static void create_with_size_set_past_the_library(size_t size)
{
    pthread_attr_t attr;
    struct live_stack stack;
    size_t got;
    CHECK_OK(pthread_attr_init(&attr));
    CHECK_OK(direct()->attr_setstacksize(&attr, size));
    CHECK_OK(pthread_attr_setguardsize(&attr, 0));
    CHECK_OK(pthread_attr_getstacksize(&attr, &got));
    CHECK_EQUAL(got, size);
    run_thread(&attr, look, &stack);
    CHECK(stack.size_bytes >= size);
    CHECK_OK(pthread_attr_destroy(&attr));
}

int main(void)
{
    static const size_t sizes[] = {MIB, 2 * MIB, 2 * MIB + 4096, 4 * MIB, 8 * MIB};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        create_past_the_library(sizes[i]);
        create_with_size_set_past_the_library(sizes[i]);
    }
    return finish();
}
