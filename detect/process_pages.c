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

/* Stops early where pages that are not resident are of no interest. */
static int count_resident(const struct process_pages *pages, uint64_t start, uint64_t end,
                          bool only_all, uint64_t *ret_bytes)
{
    unsigned char resident[AT_ONCE];
    uint64_t bytes = 0;
    for (uint64_t at = align_down(start, pages->page_bytes); at < end;) {
        size_t left = (size_t)((end - at + pages->page_bytes - 1) / pages->page_bytes);
        ssize_t told = process_pages_read(pages, at, resident, left);
        if (told < 0) {
            return (int)told;
        }
        uint64_t before = bytes;
        for (ssize_t i = 0; i < told; i++) {
            bytes += resident[i] * (uint64_t)pages->page_bytes;
        }
        at += (uint64_t)told * pages->page_bytes;
        if (only_all && bytes - before != (uint64_t)told * pages->page_bytes) {
            break;
        }
    }
    *ret_bytes = bytes;
    return 0;
}

int process_pages_resident(const struct process_pages *pages, uint64_t start, uint64_t end,
                           uint64_t *ret_bytes)
{
    return count_resident(pages, start, end, false, ret_bytes);
}

int process_pages_full_blocks(const struct process_pages *pages, uint64_t start, uint64_t end,
                              size_t block_bytes, uint64_t *ret_bytes)
{
    uint64_t sum = 0;
    for (uint64_t block = align_down(start, block_bytes); block < end; block += block_bytes) {
        uint64_t resident;
        int result = count_resident(pages, block, block + block_bytes, true, &resident);
        if (result != 0) {
            return result;
        }
        if (resident == block_bytes) {
            uint64_t from = block > start ? block : start;
            uint64_t to = block + block_bytes < end ? block + block_bytes : end;
            sum += to - from;
        }
    }
    *ret_bytes = sum;
    return 0;
}
