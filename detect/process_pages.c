#include "detect/process_pages.h"
#include "detect/root_read.h"
#include "detect/units.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#define PAGE_PRESENT (UINT64_C(1) << 63)
#define AT_ONCE      ((size_t)1024)

int process_pages_open(int root, pid_t tid, size_t page_bytes, struct process_pages *ret_pages)
{
    char path[64];
    (void)snprintf(path, sizeof(path), "/proc/%d/pagemap", (int)tid);
    int fd = root_open(root, path);
    if (fd < 0) {
        return fd == -ENOENT ? -ESRCH : fd;
    }
    *ret_pages = (struct process_pages){fd, page_bytes};
    return 0;
}

void process_pages_close(struct process_pages *pages)
{
    root_close(pages->fd);
    pages->fd = -1;
}

ssize_t process_pages_read(const struct process_pages *pages, uint64_t address,
                           unsigned char *ret_resident, size_t count)
{
    uint64_t entries[AT_ONCE];
    count = count < AT_ONCE ? count : AT_ONCE;
    off_t offset = (off_t)(address / pages->page_bytes * sizeof(entries[0]));
    ssize_t length = pread(pages->fd, entries, count * sizeof(entries[0]), offset);
    if (length < 0) {
        return -errno;
    }
    size_t told = (size_t)length / sizeof(entries[0]);
    for (size_t i = 0; i < told; i++) {
        ret_resident[i] = (entries[i] & PAGE_PRESENT) != 0;
    }
    return told > 0 ? (ssize_t)told : -ESRCH;
}

/* How much is resident; with only_all no more than tells whether all is. */
static int count_resident(const struct process_pages *pages, uint64_t start, uint64_t end,
                          bool only_all, uint64_t *ret_bytes)
{
    unsigned char resident[AT_ONCE] = {0};
    uint64_t bytes = 0, wanted = 0;
    for (uint64_t at = align_down(start, pages->page_bytes);
         at < end && (!only_all || bytes == wanted);) {
        size_t left = (size_t)((end - at + pages->page_bytes - 1) / pages->page_bytes);
        ssize_t told = process_pages_read(pages, at, resident, left);
        if (told < 0) {
            return (int)told;
        }
        for (ssize_t i = 0; i < told; i++) {
            bytes += resident[i] * (uint64_t)pages->page_bytes;
        }
        wanted += (uint64_t)told * pages->page_bytes;
        at += (uint64_t)told * pages->page_bytes;
    }
    *ret_bytes = bytes;
    return 0;
}

int process_pages_resident(const struct process_pages *pages, uint64_t start, uint64_t end,
                           uint64_t *ret_bytes)
{
    return count_resident(pages, start, end, false, ret_bytes);
}

static uint64_t lower(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t higher(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Is the block resident, but for the hole? 1, 0 or -errno. */
static int is_full(const struct process_pages *pages, uint64_t block, size_t block_bytes,
                   const struct pages_hole *hole)
{
    uint64_t end = block + block_bytes, below = 0, above = 0;
    uint64_t hole_start = hole != NULL ? higher(hole->start, block) : end;
    uint64_t hole_end = hole != NULL ? lower(hole->end, end) : end;
    if (hole_start >= hole_end) {
        hole_start = hole_end = end;
    }
    if (hole_end - hole_start > block_bytes / 8) {
        return 0;
    }
    int result = count_resident(pages, block, hole_start, true, &below);
    if (result == 0 && below == hole_start - block) {
        result = count_resident(pages, hole_end, end, true, &above);
        return result != 0 ? result : above == end - hole_end;
    }
    return result;
}

int process_pages_full_blocks(const struct process_pages *pages, uint64_t start, uint64_t end,
                              size_t block_bytes, const struct pages_hole *hole,
                              uint64_t *ret_bytes)
{
    uint64_t sum = 0;
    for (uint64_t block = align_down(start, block_bytes); block < end; block += block_bytes) {
        int full = is_full(pages, block, block_bytes, hole);
        if (full < 0) {
            return full;
        }
        if (full == 1) {
            sum += lower(block + block_bytes, end) - higher(block, start);
        }
    }
    *ret_bytes = sum;
    return 0;
}
