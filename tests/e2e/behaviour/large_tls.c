/* A megabyte of thread-local data lies at the top of every stack, between the thread's
 * descriptor and its first frame: what the C library put there is there. */
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/memory.h"
#include <stdint.h>

#define KIB   ((size_t)1024)
#define MIB   (KIB * KIB)
#define WORDS (MIB / sizeof(uint32_t))

static __thread uint32_t initialised[WORDS] = {1, 2, 3, [WORDS / 2] = 4, [WORDS - 1] = 5};
static __thread uint32_t zeroed[WORDS / 4];

static void *look(void *argument)
{
    const size_t *size_bytes = argument;
    uint32_t sum = 0;
    for (size_t i = 0; i < WORDS; i++) {
        sum += initialised[i];
    }
    CHECK_EQUAL(sum, 1 + 2 + 3 + 4 + 5);
    CHECK_EQUAL(initialised[WORDS / 2], 4);
    for (size_t i = 0; i < WORDS / 4; i++) {
        CHECK_EQUAL(zeroed[i], 0);
        zeroed[i] = initialised[i] + 7;
    }
    initialised[0] = 99; /* a thread that gets this stack again must not see it */
    stack_fill(*size_bytes - 2 * MIB, 0x11, NULL, NULL);
    CHECK_EQUAL(initialised[0], 99);
    return argument;
}

int main(void)
{
    static size_t sizes[] = {3 * MIB, 4 * MIB, 4 * MIB + 4096, 6 * MIB, 8 * MIB};
    for (int round = 0; round < 6; round++) {
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
            pthread_attr_t attr;
            make_attr(&attr, sizes[i], round % 2 == 0 ? 0 : 4096);
            CHECK(run_thread(&attr, look, &sizes[i]) == &sizes[i]);
            CHECK_OK(pthread_attr_destroy(&attr));
        }
    }
    return finish();
}
