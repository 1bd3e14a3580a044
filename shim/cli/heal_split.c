#include "shim/cli/heal_split.h"
#include "shim/cli/heal_plan.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* Linux 5.3 and 5.10: headers that we are built with for old hosts may be older. */
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_process_madvise
#define SYS_process_madvise 440
#endif

static long advise(int process_fd, const struct iovec *ranges, size_t count)
{
    long bytes = syscall(SYS_process_madvise, process_fd, ranges, count, MADV_COLD, 0);
    return bytes < 0 ? -errno : bytes;
}

int heal_split_open(pid_t pid)
{
    int process_fd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (process_fd < 0) {
        return -errno;
    }
    /* Of nothing: whether it is permitted is told all the same. */
    struct iovec none = {NULL, 0};
    long result = advise(process_fd, &none, 1);
    if (result < 0) {
        (void)close(process_fd);
        return (int)result;
    }
    return process_fd;
}

int heal_split(int process_fd, uint64_t address, uint64_t bytes)
{
    struct iovec range = {(void *)(uintptr_t)address, bytes};
    long done = advise(process_fd, &range, 1);
    return done < 0 ? (int)done : 0;
}
