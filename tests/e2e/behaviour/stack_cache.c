/* Stacks that come back from glibc's cache, also for smaller requests than they were
 * made for, are as good as new ones, and what is reported of them is true. */
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/memory.h"
#include <stdint.h>

#define KIB      ((size_t)1024)
#define MIB      (KIB * KIB)
#define OVERHEAD (16 * KIB)

struct visit {
    size_t asked_bytes;
    struct live_stack stack;
};

static void *visit_stack(void *argument)
{
    struct visit *visit = argument;
    stack_fill(visit->asked_bytes - OVERHEAD, 0x5a, NULL, NULL);
    live_stack_of_caller(&visit->stack);
    CHECK(visit->stack.size_bytes >= visit->asked_bytes - 4 * KIB);
    live_stack_touch(&visit->stack);
    return NULL;
}

static struct live_stack visit_one(size_t stack_bytes, long guard_bytes)
{
    struct visit visit = {.asked_bytes = stack_bytes};
    pthread_attr_t attr;
    make_attr(&attr, stack_bytes, guard_bytes);
    run_thread(&attr, visit_stack, &visit);
    CHECK_OK(pthread_attr_destroy(&attr));
    return visit.stack;
}

/* glibc takes a cached stack of up to four times the size: this must be the case here,
 * or the test shows nothing. */
static void larger_stack_is_used_again(size_t large, size_t small, long guard_bytes)
{
    struct live_stack first = visit_one(large, guard_bytes);
    struct live_stack second = visit_one(small, guard_bytes);
    CHECK_EQUAL((uintptr_t)second.low, (uintptr_t)first.low);
    CHECK_EQUAL(second.size_bytes, first.size_bytes);
    CHECK(second.size_bytes >= large - 4 * KIB);
}

int main(void)
{
    larger_stack_is_used_again(7 * MIB, 2 * MIB, 0);
    larger_stack_is_used_again(20 * MIB, 9 * MIB, 4096);

    static const size_t sizes[] = {128 * KIB, MIB,     2 * MIB, 4 * MIB,  8 * MIB,
                                   4 * MIB,   2 * MIB, MIB,     128 * KIB};
    for (int round = 0; round < 10; round++) {
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
            visit_one(sizes[i], round % 2 == 0 ? 0 : 4096);
        }
    }
    return finish();
}
