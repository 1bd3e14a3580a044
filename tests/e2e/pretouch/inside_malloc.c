/* A malloc replacement advises with its lock held (jemalloc does). Creating a thread there
 * would wait for that lock for ever: pthread_create allocates. (All
 * signals are blocked there: only the time limit of the test ends it.) */
#include "detect/counters_abi.h"
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/pretouch/range.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define BYTES (128 * MIB)

int main(int argc, char **argv)
{
    bool in_background = argc == 2 && strcmp(argv[1], "background") == 0;
    unsigned char *block = malloc(BYTES);
    CHECK(block != NULL);
    CHECK_EQUAL(range_resident_bytes(block, BYTES), in_background ? 0 : BYTES);
    CHECK_EQUAL(COUNTER(pretouch_left_alone), in_background);
    CHECK_EQUAL(COUNTER(pretouch_ranges), !in_background);

    /* The control: called from elsewhere, the same madvise has its thread. */
    unsigned char *range = range_map(BYTES);
    CHECK_OK(madvise(range, BYTES, MADV_HUGEPAGE));
    CHECK(range_wait_resident(range, BYTES, BYTES));
    CHECK_EQUAL(COUNTER(pretouch_ranges), in_background ? 1 : 2);
    CHECK(worker_wait_gone());
    free(block);
    return EXIT_SUCCESS;
}
