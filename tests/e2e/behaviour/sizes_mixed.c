/* Threads with stacks of many sizes and guards live side by side, and each can use what
 * it asked for: nothing that one of them wrote is lost or overwritten. */
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/memory.h"
#include <stdint.h>

#define KIB ((size_t)1024)
#define MIB (KIB * KIB)
/* Thread descriptor, static TLS and the first frames. */
#define OVERHEAD (16 * KIB)

static const size_t sizes[] = {
    128 * KIB,          256 * KIB, MIB - 4 * KIB,     MIB,      MIB + 4 * KIB,
    2 * MIB - 4 * KIB,  2 * MIB,   2 * MIB + 4 * KIB, 3 * MIB,  4 * MIB,
    6 * MIB + 64 * KIB, 8 * MIB,   16 * MIB,          33 * MIB,
};
static const long guards[] = {-1, 0, 4096, 65536};

#define SIZE_COUNT  (sizeof(sizes) / sizeof(sizes[0]))
#define GUARD_COUNT (sizeof(guards) / sizeof(guards[0]))
#define COUNT       (SIZE_COUNT * GUARD_COUNT)

static pthread_barrier_t all_filled;

static void wait_for_all(void *context)
{
    (void)context;
    pthread_barrier_wait(&all_filled);
}

static void *fill(void *argument)
{
    size_t index = (size_t)(uintptr_t)argument;
    stack_fill(sizes[index % SIZE_COUNT] - OVERHEAD, (unsigned char)(index + 1), wait_for_all,
               NULL);
    return argument;
}

int main(void)
{
    pthread_t threads[COUNT];
    CHECK_OK(pthread_barrier_init(&all_filled, NULL, COUNT));
    for (size_t i = 0; i < COUNT; i++) {
        pthread_attr_t attr;
        make_attr(&attr, sizes[i % SIZE_COUNT], guards[i / SIZE_COUNT]);
        CHECK_OK(pthread_create(&threads[i], &attr, fill, (void *)(uintptr_t)i));
        CHECK_OK(pthread_attr_destroy(&attr));
    }
    for (size_t i = 0; i < COUNT; i++) {
        void *result;
        CHECK_OK(pthread_join(threads[i], &result));
        CHECK_EQUAL((uintptr_t)result, i);
    }
    return finish();
}
