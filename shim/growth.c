#include "shim/growth.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* prlimit64 takes this form on every architecture, whatever the C library's is. */
struct kernel_limit {
    uint64_t current, maximum;
};

static bool is_limited(int resource)
{
    struct kernel_limit limit;
    return syscall(SYS_prlimit64, 0, resource, NULL, &limit) == 0 && limit.current != UINT64_MAX;
}

/* Under MCL_FUTURE a new mapping is populated at once. */
static bool new_memory_is_locked(size_t page_bytes)
{
#ifdef SYS_mmap2
    long number = SYS_mmap2;
#else
    long number = SYS_mmap;
#endif
    long address = syscall(number, NULL, page_bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (address == -1) {
        return false;
    }
    unsigned char resident = 0;
    bool locked = syscall(SYS_mincore, address, page_bytes, &resident) == 0 && (resident & 1) != 0;
    (void)syscall(SYS_munmap, address, page_bytes);
    return locked;
}

bool growth_allowed(size_t page_bytes)
{
    static _Atomic unsigned asked;
    static _Atomic bool locked; /* by the thread whose turn it was to look */
    int saved = errno;
    unsigned n = atomic_fetch_add_explicit(&asked, 1, memory_order_relaxed);
    if ((n & (n - 1)) == 0 || n % 256 == 0) { /* often at first: programs lock early */
        atomic_store_explicit(&locked,
                              is_limited(RLIMIT_MEMLOCK) && new_memory_is_locked(page_bytes),
                              memory_order_relaxed);
    }
    bool allowed = !atomic_load_explicit(&locked, memory_order_relaxed) && !is_limited(RLIMIT_AS);
    errno = saved;
    return allowed;
}
