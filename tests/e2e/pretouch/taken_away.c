/* The range goes while it is pretouched in the background: unmapped, made inaccessible, given
 * back, or something else put in its place. */
#include "detect/counters_abi.h"
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/pretouch/range.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define BYTES (192 * MIB)

static unsigned char *start_job(void)
{
    unsigned char *range = range_map(BYTES);
    CHECK_OK(madvise(range, BYTES, MADV_HUGEPAGE));
    return range;
}

static void finish_job(long long given_up)
{
    CHECK(worker_wait_gone());
    CHECK_EQUAL(COUNTER(pretouch_given_up), given_up);
    CHECK(COUNTER(pretouch_bytes) < given_up * (long long)BYTES);
}

static void unmap(void)
{
    unsigned char *range = start_job();
    CHECK_OK(munmap(range, BYTES));
    finish_job(1);
}

static void protect(void)
{
    unsigned char *range = start_job();
    CHECK_OK(mprotect(range + BYTES / 2, BYTES / 2, PROT_NONE));
    finish_job(2);
    CHECK_OK(munmap(range, BYTES));
}

static void give_back(int advice, long long given_up)
{
    unsigned char *range = start_job();
    CHECK_OK(madvise(range + BYTES / 2, BYTES / 2, advice));
    finish_job(given_up);
    CHECK(range_resident_bytes(range + BYTES / 2, BYTES / 2) < BYTES / 2);
    CHECK_OK(munmap(range, BYTES));
}

/* The job goes on in the new memory, as far as it may; nothing of it changes. */
static void replace(void)
{
    unsigned char *range = start_job();
    unsigned char *again = mmap(range, BYTES, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    CHECK(again == range);
    memset(range, 0x5a, 64 * MIB);
    CHECK(worker_wait_gone());
    for (size_t i = 0; i < 64 * MIB; i++) {
        CHECK_EQUAL(range[i], 0x5a);
    }
    CHECK_OK(munmap(range, BYTES));
}

int main(void)
{
    unmap();
    protect();
    give_back(MADV_DONTNEED, 3);
    give_back(MADV_NOHUGEPAGE, 4);
    replace();
    CHECK_EQUAL(COUNTER(pretouch_ranges), 5);
    return EXIT_SUCCESS;
}
