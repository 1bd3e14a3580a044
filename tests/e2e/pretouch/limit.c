/* limit touch|madvise: takes four times the memory limit that it is under, by touching all of
 * it itself (and dies), or has it pretouched (and lives). */
#include "detect/counters_abi.h"
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/pretouch/range.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LIMIT (256 * MIB)
#define BYTES (4 * LIMIT)

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    unsigned char *range = range_map(BYTES);
    if (strcmp(argv[1], "touch") == 0) {
        memset(range, 1, BYTES);
        return EXIT_SUCCESS;
    }
    CHECK_OK(madvise(range, BYTES, MADV_HUGEPAGE));
    CHECK(worker_wait_gone());
    size_t resident = range_resident_bytes(range, BYTES);
    printf("%zu of %zu MiB are there\n", resident / MIB, BYTES / MIB);
    CHECK_EQUAL(COUNTER(pretouch_at_limit), 1);
    CHECK_EQUAL(COUNTER(pretouch_bytes), resident);
    /* Most of what may be had, and a reserve. */
    CHECK(resident >= LIMIT / 2 && resident < LIMIT - LIMIT / 16);
    /* Which the program can use. */
    unsigned char *more = range_map(8 * MIB);
    memset(more, 1, 8 * MIB);
    return EXIT_SUCCESS;
}
