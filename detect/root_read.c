#include "detect/root_read.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What syscall(2) gave, as 0 or more, or -errno; errno as the caller had it. */
static long settle(long result, int callers_errno)
{
    if (result != -1) {
        return result;
    }
    long error = -(long)errno;
    errno = callers_errno;
    return error;
}

int root_open(int root, const char *path)
{
    if (path[0] != '/') {
        return -EINVAL;
    }
    int directory = AT_FDCWD;
    if (root != ROOT_HOST) {
        directory = root;
        /* openat(2) does not look at its descriptor when the path is absolute. */
        do {
            path++;
        } while (*path == '/');
    }
    int callers_errno = errno;
    long fd;
    do {
        fd = settle(syscall(SYS_openat, directory, path, O_RDONLY | O_CLOEXEC), callers_errno);
    } while (fd == -EINTR);
    return (int)fd;
}

ssize_t root_read_some(int fd, char *buffer, size_t size)
{
    int callers_errno = errno;
    long length;
    do {
        length = settle(syscall(SYS_read, fd, buffer, size), callers_errno);
    } while (length == -EINTR);
    return length;
}

void root_close(int fd)
{
    int callers_errno = errno;
    /* Not repeated after EINTR: on Linux the descriptor is gone by then. */
    (void)settle(syscall(SYS_close, fd), callers_errno);
}

ssize_t root_read(int root, const char *path, char *buffer, size_t size)
{
    int fd = root_open(root, path);
    if (fd < 0) {
        return fd;
    }
    size_t length = 0;
    ssize_t got = 0;
    while (length < size) {
        got = root_read_some(fd, buffer + length, size - length);
        if (got <= 0) {
            break;
        }
        length += (size_t)got;
    }
    root_close(fd);
    if (got < 0) {
        return got;
    }
    return length < size ? (ssize_t)length : -EFBIG;
}

enum read_status root_read_status(ssize_t result)
{
    if (result >= 0) {
        return READ_OK;
    }
    switch (-result) {
    case ENOENT:
        return READ_ABSENT;
    case EACCES:
    case EPERM:
        return READ_DENIED;
    case EFBIG:
        return READ_NOT_UNDERSTOOD;
    default:
        return READ_FAILED;
    }
}
