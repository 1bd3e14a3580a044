/* A megabyte of thread-local data lies at the top of every stack, between the thread's
 * descriptor and its first frame: what the C library put there is there, also where it
 * came to lie in a huge page that the library gives back (EXPECT_RELEASED=1: some did). */
#include "detect/counters_abi.h"
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/memory.h"
#include <stdint.h>
#include <stdlib.h>

#define KIB     ((size_t)1024)
#define MIB     (KIB * KIB)
#define WORDS   (MIB / sizeof(uint32_t))
#define THREADS 40

static __thread uint32_t initialised[WORDS] = {1, 2, 3, [WORDS / 2] = 4, [WORDS - 1] = 5};
static __thread uint32_t zeroed[WORDS / 4];

static pthread_barrier_t all_there;

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
    pthread_barrier_wait(&all_there);
    return argument;
}

/* All at once, so that their tops lie at many distances from a THP boundary. */
static void run_all(void)
{
    static size_t sizes[] = {3 * MIB, 4 * MIB, 4 * MIB + 4096, 6 * MIB, 8 * MIB};
    const size_t size_count = sizeof(sizes) / sizeof(sizes[0]);
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        pthread_attr_t attr;
        make_attr(&attr, sizes[i % size_count], i % 2 == 0 ? 0 : 4096);
        CHECK_OK(pthread_create(&threads[i], &attr, look, &sizes[i % size_count]));
        CHECK_OK(pthread_attr_destroy(&attr));
    }
    for (size_t i = 0; i < THREADS; i++) {
        void *result;
        CHECK_OK(pthread_join(threads[i], &result));
        CHECK(result == &sizes[i % size_count]);
    }
}

int main(void)
{
    CHECK_OK(pthread_barrier_init(&all_there, NULL, THREADS));
    run_all();
    run_all();
    if (getenv("EXPECT_RELEASED") != NULL) {
        CHECK(library_counters()->tops_released > 0);
    }
    return finish();
}
