/* Each thread makes the next with the size and guard that it finds itself to have, as
 * runtimes do that clone their own settings: stacks must not grow without end. */
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/memory.h"

#define GENERATIONS 200
#define MIB         ((size_t)1024 * 1024)

static void *look(void *argument)
{
    live_stack_of_caller(argument);
    return NULL;
}

static void grow(size_t size, long guard)
{
    struct live_stack stack = {.size_bytes = size, .guard_bytes = (size_t)guard};
    for (int i = 0; i < GENERATIONS; i++) {
        pthread_attr_t attr;
        make_attr(&attr, stack.size_bytes, (long)stack.guard_bytes);
        run_thread(&attr, look, &stack);
        CHECK(stack.size_bytes >= size);
        CHECK_OK(pthread_attr_destroy(&attr));
    }
    CHECK(stack.size_bytes <= size + MIB);
}

int main(void)
{
    /* Descending sizes would be served from the cache. */
    grow(MIB, 0);
    grow(2 * MIB, 0);
    grow(4 * MIB, 4096);
    grow(8 * MIB, 65536);
    grow(16 * MIB, 0);
    return finish();
}
