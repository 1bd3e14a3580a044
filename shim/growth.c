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

static bool read_limit(int resource, uint64_t *ret_bytes)
{
    struct kernel_limit limit;
    if (syscall(SYS_prlimit64, 0, resource, NULL, &limit) != 0) {
        return false;
    }
    *ret_bytes = limit.current;
    return true;
}

static bool is_limited(int resource)
{
    uint64_t bytes;
    return read_limit(resource, &bytes) && bytes != UINT64_MAX;
}

/* Under MCL_FUTURE a mapping larger than RLIMIT_MEMLOCK allows is refused with EAGAIN, also
 * one that has no access and so takes no memory. Who may lock without limit is let. */
static bool new_memory_is_locked(void)
{
#ifdef SYS_mmap2
    long number = SYS_mmap2;
#else
    long number = SYS_mmap;
#endif
    uint64_t bytes;
    if (!read_limit(RLIMIT_MEMLOCK, &bytes) || bytes >= SIZE_MAX / 2) {
        return false;
    }
    size_t size = (size_t)bytes + 1;
    long address = syscall(number, NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (address == -1) {
        return errno == EAGAIN;
    }
    (void)syscall(SYS_munmap, address, size);
    return false;
}

bool growth_is_locked(void)
{
    int saved = errno;
    bool locked = new_memory_is_locked();
    errno = saved;
    return locked;
}

/* Each limit costs a system call that takes a lock of the whole process, so not every creation
 * asks: each of the first few, because programs set limits early, then one in 32. Limits that
 * come later are still never in the way: a creation that fails is made again as asked. */
bool growth_allowed(void)
{
    static _Atomic unsigned asked;
    static _Atomic bool refused;
    unsigned n = atomic_fetch_add_explicit(&asked, 1, memory_order_relaxed);
    if ((n & (n - 1)) == 0 || n % 32 == 0) {
        int saved = errno;
        atomic_store_explicit(
            &refused, is_limited(RLIMIT_AS) || is_limited(RLIMIT_DATA) || new_memory_is_locked(),
            memory_order_relaxed);
        errno = saved;
    }
    return !atomic_load_explicit(&refused, memory_order_relaxed);
}
