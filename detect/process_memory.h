/* Another process's memory, read from outside: it is not stopped and does not notice.
 *
 * But a page that is read where none was is made, of zeros, and where THP is always a
 * huge one: read only what the process must have written to itself. */
#ifndef THPFIX_DETECT_PROCESS_MEMORY_H
#define THPFIX_DETECT_PROCESS_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Reads exactly size bytes. 0; -EPERM; -ESRCH; -EFAULT where not all of it is there (or
 * it may not be read by the process itself); another -errno. */
int process_memory_read(pid_t pid, uint64_t address, void *buffer, size_t size);

#endif
