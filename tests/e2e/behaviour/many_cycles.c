/* A hundred thousand threads, created and joined, leave nothing behind: no memory, no
 * mapping, no start record of the library. */
#include "detect/counters_abi.h"
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/memory.h"
#include <stdint.h>

#define CYCLES         100000
#define WARM_UP_CYCLES 5000
#define AT_ONCE        20

/* Noise of the C library's own (stdio buffers of the looks at /proc). */
#define RSS_TOLERANCE_BYTES ((size_t)512 * 1024)
#define ENTRIES_TOLERANCE   4

static pthread_attr_t attrs[3];

static void *nothing(void *argument)
{
    return argument;
}

static void cycle(int cycles)
{
    for (int done = 0; done < cycles; done += AT_ONCE) {
        pthread_t threads[AT_ONCE];
        for (uintptr_t i = 0; i < AT_ONCE; i++) {
            CHECK_OK(pthread_create(&threads[i], &attrs[i % 3], nothing, (void *)i));
        }
        for (uintptr_t i = 0; i < AT_ONCE; i++) {
            void *result;
            CHECK_OK(pthread_join(threads[i], &result));
            CHECK_EQUAL((uintptr_t)result, i);
        }
    }
}

int main(void)
{
    make_attr(&attrs[0], (size_t)2 << 20, 0);
    make_attr(&attrs[1], (size_t)128 << 10, -1);
    make_attr(&attrs[2], (size_t)8 << 20, 4096);

    cycle(WARM_UP_CYCLES);
    size_t entries = memory_map_entries();
    size_t resident = memory_resident_bytes();
    cycle(CYCLES);
    CHECK(memory_map_entries() <= entries + ENTRIES_TOLERANCE);
    CHECK(memory_resident_bytes() <= resident + RSS_TOLERANCE_BYTES);

    const struct counters *counters = library_counters();
    if (library_expected()) {
        CHECK(counters != NULL);
        CHECK_EQUAL(counters->threads_seen, CYCLES + WARM_UP_CYCLES);
        CHECK_EQUAL(counters->left_alone_pool_empty, 0);
        CHECK_EQUAL(counters->retried_as_asked, 0);
        CHECK_EQUAL(counters->left_alone_not_located, 0);
    }
    return finish();
}
