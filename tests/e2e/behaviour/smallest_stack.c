/* A thread on PTHREAD_STACK_MIN bytes starts and runs, with and without a guard. */
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/memory.h"
#include <limits.h>
#include <unistd.h>

static void *look(void *argument)
{
    struct live_stack *stack = argument;
    live_stack_of_caller(stack);
    live_stack_touch(stack);
    return argument;
}

static void *nothing(void *argument)
{
    return argument;
}

int main(void)
{
    static const long guards[] = {-1, 0, 4096, 65536};
    size_t smallest = (size_t)sysconf(_SC_THREAD_STACK_MIN);
    CHECK(smallest >= 16384);
    for (size_t i = 0; i < sizeof(guards) / sizeof(guards[0]); i++) {
        pthread_attr_t attr;
        make_attr(&attr, smallest, guards[i]);
        for (int n = 0; n < 50; n++) {
            CHECK(run_thread(&attr, nothing, &attr) == &attr);
        }
        struct live_stack stack;
        run_thread(&attr, look, &stack);
        CHECK(stack.size_bytes >= smallest);
        CHECK_OK(pthread_attr_destroy(&attr));
    }
    return finish();
}
