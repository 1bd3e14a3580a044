/* A mapped file is left alone: its holes would become blocks, and all of it be written. */
#include "detect/counters_abi.h"
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/memory.h"
#include "tests/e2e/pretouch/range.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define BYTES (64 * MIB)

static long long blocks_of(int fd)
{
    struct stat status;
    CHECK_OK(fstat(fd, &status));
    return (long long)status.st_blocks;
}

static void check_file(const char *directory)
{
    char path[4096];
    CHECK(snprintf(path, sizeof(path), "%s/thpfix-file-XXXXXX", directory) < (int)sizeof(path));
    int fd = mkstemp(path);
    CHECK(fd >= 0);
    CHECK_OK(unlink(path));
    CHECK_OK(ftruncate(fd, (off_t)BYTES));
    volatile unsigned char *range = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(range != MAP_FAILED);
    if (madvise((void *)(uintptr_t)range, BYTES, MADV_HUGEPAGE) != 0) {
        skip("this file system takes no MADV_HUGEPAGE");
    }
    CHECK_EQUAL(blocks_of(fd), 0);
    CHECK_EQUAL(COUNTER(pretouch_left_alone), 1);
    CHECK_EQUAL(COUNTER(pretouch_ranges), 0);
    /* The control: a touch shows. */
    range[0] = 1;
    CHECK_OK(msync((void *)(uintptr_t)range, memory_page_bytes(), MS_SYNC));
    CHECK(blocks_of(fd) > 0);
}

static void check_memfd(void)
{
    int fd = memfd_create("heap", MFD_CLOEXEC);
    CHECK(fd >= 0);
    CHECK_OK(ftruncate(fd, (off_t)BYTES));
    void *range = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(range != MAP_FAILED);
    CHECK_OK(madvise(range, BYTES, MADV_HUGEPAGE));
    CHECK_EQUAL(range_resident_bytes(range, BYTES), BYTES);
    CHECK_EQUAL(COUNTER(pretouch_ranges), 1);
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    check_file(argv[1]);
    check_memfd();
    return EXIT_SUCCESS;
}
