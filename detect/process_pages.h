/* Which pages of a process are resident (/proc/PID/pagemap): for what smaps, which knows
 * whole mappings only, cannot tell. */
#ifndef THPFIX_DETECT_PROCESS_PAGES_H
#define THPFIX_DETECT_PROCESS_PAGES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct process_pages {
    int fd;
    size_t page_bytes;
};

/* 0 or -errno; on success to be closed. */
int process_pages_open(int root, pid_t tid, size_t page_bytes, struct process_pages *ret_pages);
void process_pages_close(struct process_pages *pages);

/* Tells of up to count pages from address on; *ret_resident gets one byte a page, 0 or 1.
 * Returns how many pages were told, at least one, or -errno. */
ssize_t process_pages_read(const struct process_pages *pages, uint64_t address,
                           unsigned char *ret_resident, size_t count);

/* The resident bytes between two addresses. 0 or -errno. */
int process_pages_resident(const struct process_pages *pages, uint64_t start, uint64_t end,
                           uint64_t *ret_bytes);

/* Addresses that need not be resident. */
struct pages_hole {
    uint64_t start, end;
};

/* How much between two addresses lies in aligned blocks of block_bytes that are resident
 * from end to end, as a huge page is, and its pages once it has been split. The blocks
 * may reach beyond the two addresses. A hole (NULL: none) may take up to an eighth of a
 * block. 0 or -errno. */
int process_pages_full_blocks(const struct process_pages *pages, uint64_t start, uint64_t end,
                              size_t block_bytes, const struct pages_hole *hole,
                              uint64_t *ret_bytes);

#endif
