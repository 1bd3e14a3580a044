/* Another process's memory, read from outside: it is not stopped and does not notice. */
#ifndef THPFIX_DETECT_PROCESS_MEMORY_H
#define THPFIX_DETECT_PROCESS_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Reads exactly size bytes. 0; -EPERM; -ESRCH; -EFAULT where not all of it is there (or
 * it may not be read by the process itself); another -errno. */
int process_memory_read(pid_t pid, uint64_t address, void *buffer, size_t size);

/* Reads count pieces of size bytes each, one behind the other, in one call. Returns how many
 * pieces from the first on were read whole, or -errno. */
#define PROCESS_MEMORY_PIECES 16
ssize_t process_memory_read_pieces(pid_t pid, const uint64_t *addresses, size_t count,
                                   void *buffer, size_t size);

#endif
