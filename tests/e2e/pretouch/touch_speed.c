/* touch_speed METHOD MIB huge|small: populates fresh memory and prints how much CPU time
 * that took, which leaves other programs out, and how much of it is in huge pages. Methods:
 * pretouch, the library's function; atomic, an addition of 0 to each page; memset. */
#include "shim/pretouch.h"
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/memory.h"
#include "tests/e2e/pretouch/range.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static uint64_t cpu_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void populate(const char *method, unsigned char *range, size_t bytes)
{
    size_t page = memory_page_bytes();
    if (strcmp(method, "pretouch") == 0) {
        struct pretouch_result result =
            pretouch((uintptr_t)range, bytes, page, PRETOUCH_MAY_VANISH);
        CHECK_EQUAL(result.error, 0);
    } else if (strcmp(method, "atomic") == 0) {
        for (size_t at = 0; at < bytes; at += page) {
            (void)__atomic_fetch_add((volatile int *)(range + at), 0, __ATOMIC_RELAXED);
        }
    } else {
        CHECK(strcmp(method, "memset") == 0);
        memset(range, 0, bytes);
        __asm__ volatile("" : : "r"(range) : "memory");
    }
}

int main(int argc, char **argv)
{
    CHECK(argc == 4);
    size_t bytes = (size_t)atol(argv[2]) * MIB;
    unsigned char *range = range_map(bytes);
    bool huge = strcmp(argv[3], "huge") == 0;
    CHECK_OK(madvise(range, bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE));
    pretouch_prepare(memory_page_bytes());
    uint64_t start = cpu_ns();
    populate(argv[1], range, bytes);
    uint64_t end = cpu_ns();
    CHECK_EQUAL(range_resident_bytes(range, bytes), bytes);
    printf("ns=%llu\nhuge_kib=%zu\n", (unsigned long long)(end - start),
           range_huge_bytes(range) >> 10);
    return EXIT_SUCCESS;
}
