/* A range put under MADV_HUGEPAGE. EXPECT_PRETOUCH says what comes of it: nothing (unset or
 * "off"), all of it at once ("now"), or soon ("background"). */
#include "detect/counters_abi.h"
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/memory.h"
#include "tests/e2e/pretouch/range.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char *expected;

static bool expects(const char *what)
{
    return strcmp(expected, what) == 0;
}

static void advise(unsigned char *range, size_t bytes)
{
    errno = 4711;
    CHECK_OK(madvise(range, bytes, MADV_HUGEPAGE));
    CHECK_EQUAL(errno, 4711);
}

/* What was resident before is the last that a thread in the background comes to: until it has
 * counted that, too, the range must stay. */
static void wait_counted(size_t bytes)
{
    static long long all;
    all += (long long)bytes;
    for (int tries = 0; tries < 1000 && COUNTER(pretouch_bytes) < all; tries++) {
        (void)usleep(10 * 1000);
    }
}

static void check_range(size_t bytes)
{
    unsigned char *range = range_map(bytes);
    range[0] = 1;
    range[bytes / 2 + 17] = 2;
    range[bytes - 1] = 3;
    advise(range, bytes);
    if (expects("now")) {
        CHECK_EQUAL(range_resident_bytes(range, bytes), bytes);
    } else if (expects("background")) {
        CHECK(range_wait_resident(range, bytes, bytes));
        wait_counted(bytes);
    } else {
        (void)usleep(300 * 1000);
        CHECK(range_resident_bytes(range, bytes) <= 3 * 2 * MIB);
    }
    CHECK_EQUAL(range[0], 1);
    CHECK_EQUAL(range[bytes / 2 + 17], 2);
    CHECK_EQUAL(range[bytes - 1], 3);
    for (size_t i = 1; i < bytes - 1; i += 4096) {
        CHECK_EQUAL(range[i], 0);
    }
    CHECK_OK(munmap(range, bytes));
}

/* Untouched before, all its blocks are huge. */
static void check_huge_blocks(void)
{
    size_t bytes = 128 * MIB;
    unsigned char *range = range_map(bytes);
    advise(range, bytes);
    if (expects("background")) {
        CHECK(range_wait_resident(range, bytes, bytes));
        wait_counted(bytes);
    }
    if (!expects("off") && getenv("EXPECT_HUGE") != NULL) {
        CHECK_EQUAL(range_huge_bytes(range), bytes);
    }
    CHECK_OK(munmap(range, bytes));
}

static void check_left_alone(void)
{
    size_t bytes = 32 * MIB; /* less than THPFIX_PRETOUCH_MIN */
    unsigned char *range = range_map(bytes);
    advise(range, bytes);
    CHECK_EQUAL(range_resident_bytes(range, bytes), 0);
    CHECK_OK(munmap(range, bytes));

    errno = 0;
    CHECK_EQUAL(madvise(range + 1, 128 * MIB, MADV_HUGEPAGE), -1);
    CHECK_EQUAL(errno, EINVAL);
    CHECK_EQUAL(madvise(range, bytes, MADV_HUGEPAGE), -1);
    CHECK_EQUAL(errno, ENOMEM);
    CHECK_OK(madvise(range, 0, MADV_HUGEPAGE));
}

static void *on_small_stack(void *argument)
{
    check_range(64 * MIB);
    return argument;
}

int main(void)
{
    const char *variable = getenv("EXPECT_PRETOUCH");
    expected = variable != NULL ? variable : "off";
    check_range(128 * MIB);
    check_range(64 * MIB + memory_page_bytes());
    check_huge_blocks();
    check_left_alone();
    pthread_attr_t attr;
    make_attr(&attr, 32 * 1024, -1);
    run_thread(&attr, on_small_stack, NULL);
    if (variable == NULL) {
        CHECK(library_counters() == NULL);
        return EXIT_SUCCESS;
    }
    CHECK(worker_wait_gone());
    CHECK_EQUAL(COUNTER(pretouch_ranges), expects("off") ? 0 : 4);
    CHECK_EQUAL(COUNTER(pretouch_bytes), expects("off") ? 0 : 384 * MIB + memory_page_bytes());
    CHECK_EQUAL(COUNTER(pretouch_given_up) + COUNTER(pretouch_at_limit), 0);
    return EXIT_SUCCESS;
}
