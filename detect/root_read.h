/* The only code that opens /sys and /proc.
 *
 * Reads below a root directory, so that tests replay recorded machines. Uses
 * syscall(2), which unlike open(2) and read(2) is no cancellation point, allocates
 * nothing and leaves errno as it was. Any thread, after fork, in a signal handler.
 */
#ifndef THPFIX_DETECT_ROOT_READ_H
#define THPFIX_DETECT_ROOT_READ_H

#include "detect/thp_state.h"
#include <stddef.h>
#include <sys/types.h>

#define ROOT_HOST (-1) /* the machine itself */

/* Opens an absolute path such as "/proc/self/smaps" below root, a directory
 * descriptor or ROOT_HOST, for reading (O_CLOEXEC). Returns a descriptor or -errno. */
int root_open(int root, const char *path);

/* One read(2), continued after EINTR. Bytes, 0 at the end, or -errno. */
ssize_t root_read_some(int fd, char *buffer, size_t size);

void root_close(int fd);

/* Reads the whole of a small file. Returns its length, below size, or -errno;
 * -EFBIG where it does not fit (sysfs answers are short: a longer one is none). */
ssize_t root_read(int root, const char *path, char *buffer, size_t size);

/* The status that a result of the functions above amounts to. */
enum read_status root_read_status(ssize_t result);

#endif
