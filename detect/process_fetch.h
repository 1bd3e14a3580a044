/* Many pieces of a process's memory that are alike: the descriptors of its threads, each at
 * the same distance from the end of a mapping as the one before.
 *
 * A read of another process costs about the same for one piece as for many. So, as long as
 * that keeps being right, those that should come next are read along.
 */
#ifndef THPFIX_DETECT_PROCESS_FETCH_H
#define THPFIX_DETECT_PROCESS_FETCH_H

#include "detect/process_kinds.h"
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define FETCH_PIECES ((size_t)64)
#define FETCH_BYTES  ((size_t)64 * 1024) /* the most for all of them; one is no larger */

struct process_fetch {
    pid_t pid;
    const struct process_maps *maps;
    size_t piece_bytes;
    /* What was read last, and which of it was asked for: */
    uint64_t addresses[FETCH_PIECES];
    size_t count, at;
    size_t wanted; /* pieces of the next read */
    unsigned char bytes[FETCH_BYTES];
};

/* maps: the process's mappings, to tell which pieces are alike; NULL, or piece_bytes too
 * large for more: they are read one by one. What was read before is forgotten. */
void process_fetch_begin(struct process_fetch *fetch, pid_t pid, const struct process_maps *maps,
                         size_t piece_bytes);

/* *ret_bytes: the piece at the address, until the next call. 0 or -errno, as
 * process_memory_read. */
int process_fetch_next(struct process_fetch *fetch, uint64_t address,
                       const unsigned char **ret_bytes);

#endif
