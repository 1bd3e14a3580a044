/* touch_speed MIB huge|small: populates so much fresh memory by each of three methods and prints
 * how much CPU time each took, which leaves other programs out, and how much of it is in huge
 * pages. Methods: pretouch, the library's function; atomic, an addition of 0 to each page; memset.
 *
 * The methods take turns, slice by slice, and a slice is unmapped before the next is
 * mapped, so that all of them get the same physical pages. In a virtual machine the first use
 * of a page that the host has to find takes several times as long as what is measured. */
#include "shim/pretouch.h"
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/memory.h"
#include "tests/e2e/pretouch/range.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define SLICE_BYTES (128 * MIB)

enum method { PRETOUCH, ATOMIC, MEMSET, METHODS };

static const char *const names[METHODS] = {"pretouch", "atomic", "memset"};

struct sum {
    uint64_t ns;
    size_t huge_bytes;
};

static uint64_t cpu_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void populate(enum method method, unsigned char *range, size_t bytes)
{
    size_t page = memory_page_bytes();
    if (method == PRETOUCH) {
        struct pretouch_result result =
            pretouch((uintptr_t)range, bytes, page, PRETOUCH_MAY_VANISH);
        CHECK_EQUAL(result.error, 0);
    } else if (method == ATOMIC) {
        for (size_t at = 0; at < bytes; at += page) {
            (void)__atomic_fetch_add((volatile int *)(range + at), 0, __ATOMIC_RELAXED);
        }
    } else {
        memset(range, 0, bytes);
        __asm__ volatile("" : : "r"(range) : "memory");
    }
}

static void measure(enum method method, bool huge, struct sum *sum)
{
    unsigned char *range = range_map(SLICE_BYTES);
    CHECK_OK(madvise(range, SLICE_BYTES, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE));
    uint64_t start = cpu_ns();
    populate(method, range, SLICE_BYTES);
    sum->ns += cpu_ns() - start;
    CHECK_EQUAL(range_resident_bytes(range, SLICE_BYTES), SLICE_BYTES);
    sum->huge_bytes += range_huge_bytes(range);
    CHECK_OK(munmap(range, SLICE_BYTES));
}

int main(int argc, char **argv)
{
    CHECK(argc == 3);
    size_t slices = (size_t)atol(argv[1]) * MIB / SLICE_BYTES;
    bool huge = strcmp(argv[2], "huge") == 0;
    struct sum unused = {0}, sums[METHODS] = {0};
    CHECK(slices != 0);
    pretouch_prepare(memory_page_bytes());
    measure(MEMSET, huge, &unused); /* finds the pages */
    for (size_t slice = 0; slice < slices; slice++) {
        for (size_t turn = 0; turn < METHODS; turn++) {
            size_t method = (slice + turn) % METHODS;
            measure((enum method)method, huge, &sums[method]);
        }
    }
    printf("mib=%zu\n", slices * SLICE_BYTES / MIB);
    for (size_t method = 0; method < METHODS; method++) {
        printf("%s_ns=%llu\n%s_huge_kib=%zu\n", names[method], (unsigned long long)sums[method].ns,
               names[method], sums[method].huge_bytes >> 10);
    }
    return EXIT_SUCCESS;
}
