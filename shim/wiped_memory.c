#include "shim/wiped_memory.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

#ifdef SYS_mmap2
#define SYS_MMAP SYS_mmap2
#else
#define SYS_MMAP SYS_mmap
#endif

void *wiped_memory_map(size_t bytes)
{
    int saved = errno;
    long address =
        syscall(SYS_MMAP, NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void *memory = address == -1 ? NULL : (void *)address;
    if (memory != NULL && syscall(SYS_madvise, memory, bytes, MADV_WIPEONFORK) != 0) {
        wiped_memory_unmap(memory, bytes);
        memory = NULL;
    }
    errno = saved;
    return memory;
}

void wiped_memory_unmap(void *memory, size_t bytes)
{
    int saved = errno;
    (void)syscall(SYS_munmap, memory, bytes);
    errno = saved;
}
