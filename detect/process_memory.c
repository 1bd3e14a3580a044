#include "detect/process_memory.h"

#include <errno.h>
#include <sys/uio.h>

int process_memory_read(pid_t pid, uint64_t address, void *buffer, size_t size)
{
    struct iovec local = {.iov_base = buffer, .iov_len = size};
    struct iovec remote = {.iov_base = (void *)(uintptr_t)address, .iov_len = size};
    ssize_t length = process_vm_readv(pid, &local, 1, &remote, 1, 0);
    if (length < 0) {
        return -errno;
    }
    return (size_t)length == size ? 0 : -EFAULT;
}
