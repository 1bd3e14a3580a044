#include "shim/pretouch.h"

#include "detect/units.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* Also the alignment of chunks, so that none splits a huge page of this size. */
#define CHUNK_BYTES ((size_t)2 * MIB)

#define SMALLEST_PAGE_BYTES ((size_t)4096)

/* The pages of a chunk, by the addresses of the first and the last: a range may end at
 * the end of the address space, where an address behind it does not exist. */
struct chunk {
    uintptr_t first, last;
    size_t page_bytes;
};

static size_t chunk_bytes(const struct chunk *chunk)
{
    return chunk->last - chunk->first + chunk->page_bytes;
}

static long settle(long result)
{
    return result == -1 ? -(long)errno : result;
}

static long advise_populate(uintptr_t start, size_t bytes)
{
    long result;
    do {
        result = settle(syscall(SYS_madvise, start, bytes, MADV_POPULATE_WRITE));
    } while (result == -EINTR);
    return result;
}

static bool is_resident(uintptr_t page, size_t page_bytes)
{
    unsigned char resident = 0;
    return syscall(SYS_mincore, page, page_bytes, &resident) == 0 && (resident & 1) != 0;
}

static unsigned take_number(const char **text)
{
    unsigned number = 0;
    for (; **text >= '0' && **text <= '9'; (*text)++) {
        number = number * 10 + (unsigned)(**text - '0');
    }
    return number;
}

static bool kernel_is_at_least(unsigned major, unsigned minor)
{
    struct utsname name;
    if (syscall(SYS_uname, &name) != 0) {
        return false;
    }
    const char *text = name.release;
    unsigned had = take_number(&text);
    return had > major || (had == major && *text++ == '.' && take_number(&text) >= minor);
}

enum { ADVICE_UNKNOWN, ADVICE_WORKS, ADVICE_MISSING };

/* Kernels before 5.14 may know the number as something else and report success (Oracle's
 * 5.4.17: JDK-8324781), and a filter may report anything. So it has to be seen. */
static int try_advice(size_t page_bytes)
{
    if (!kernel_is_at_least(5, 14)) {
        return ADVICE_MISSING;
    }
    long start = settle(syscall(SYS_mmap, NULL, 2 * page_bytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (start < 0 && start > -4096) {
        return ADVICE_UNKNOWN; /* no address space now; perhaps later */
    }
    uintptr_t page = (uintptr_t)start;
    bool works = advise_populate(page, 2 * page_bytes) == 0 && is_resident(page, page_bytes) &&
                 is_resident(page + page_bytes, page_bytes);
    (void)syscall(SYS_munmap, start, 2 * page_bytes);
    return works ? ADVICE_WORKS : ADVICE_MISSING;
}

static bool advice_works(size_t page_bytes)
{
    static _Atomic int advice = ADVICE_UNKNOWN; /* any thread; all find the same */
    int known = atomic_load_explicit(&advice, memory_order_relaxed);
    if (known == ADVICE_UNKNOWN) {
        known = try_advice(page_bytes);
        atomic_store_explicit(&advice, known, memory_order_relaxed);
    }
    return known == ADVICE_WORKS;
}

void pretouch_prepare(size_t page_bytes)
{
    int saved = errno;
    (void)advice_works(page_bytes);
    errno = saved;
}

/* The compiler must not know that it is 0: an addition of 0 it may turn into a load, which
 * makes no page. */
static void add_zero(uintptr_t page)
{
    int zero = 0;
    __asm__("" : "+r"(zero));
    (void)__atomic_fetch_add((int *)page, zero, __ATOMIC_RELAXED);
}

/* The same addition, made by the kernel, which reports a fault instead of raising a
 * signal. FUTEX_WAKE_OP also wakes: at the first word nobody waits, and at the second
 * only if it held this odd number. A waiter that wakes for no reason has to expect it. */
static long add_zero_by_kernel(uintptr_t page)
{
    uint32_t nobody_waits_here = 0;
    const unsigned operation = FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0x5a5);
    long result = settle(syscall(SYS_futex, &nobody_waits_here, FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG,
                                 0, NULL, page, operation));
    return result < 0 ? result : 0;
}

/* How many pages of a chunk are resident; of a larger one, or where it has holes, 0. */
static size_t count_resident(const struct chunk *chunk)
{
    unsigned char resident[CHUNK_BYTES / SMALLEST_PAGE_BYTES];
    size_t bytes = chunk_bytes(chunk), count = 0;
    if (bytes > CHUNK_BYTES || syscall(SYS_mincore, chunk->first, bytes, resident) != 0) {
        return 0;
    }
    for (size_t i = 0; i < bytes / chunk->page_bytes; i++) {
        count += resident[i] & 1;
    }
    return count;
}

static struct pretouch_result touch_by_kernel(const struct chunk *chunk)
{
    struct pretouch_result result = {0, 0};
    bool was_empty = count_resident(chunk) == 0;
    for (uintptr_t page = chunk->first;; page += chunk->page_bytes) {
        result.error = (int)add_zero_by_kernel(page);
        if (result.error != 0) {
            return result;
        }
        result.done_bytes += chunk->page_bytes;
        if (page == chunk->last) {
            return result;
        }
        /* All there after one addition, and nothing before: it is one huge page. (Pages
         * that were there before may be the zero page, which is not to be kept.) */
        if (page == chunk->first && was_empty &&
            count_resident(chunk) == chunk_bytes(chunk) / chunk->page_bytes) {
            return (struct pretouch_result){chunk_bytes(chunk), 0};
        }
    }
}

static struct pretouch_result touch(const struct chunk *chunk)
{
    uintptr_t page = chunk->first;
    add_zero(page);
    while (page != chunk->last) {
        page += chunk->page_bytes;
        add_zero(page);
    }
    return (struct pretouch_result){chunk_bytes(chunk), 0};
}

static struct pretouch_result count_populated(const struct chunk *chunk, int error)
{
    struct pretouch_result result = {0, error};
    uintptr_t page = chunk->first;
    while (page != chunk->last && is_resident(page, chunk->page_bytes)) {
        page += chunk->page_bytes;
        result.done_bytes += chunk->page_bytes;
    }
    return result;
}

static struct pretouch_result populate(const struct chunk *chunk)
{
    long error = advise_populate(chunk->first, chunk_bytes(chunk));
    switch (error) {
    case 0:
        return (struct pretouch_result){chunk_bytes(chunk), 0};
    case -EINVAL: /* a page that is not writable, or a mapping this advice is not for */
    case -EPERM:  /* a filter that was put on since the advice was seen to work */
    case -ENOSYS:
        return touch_by_kernel(chunk);
    default:
        return count_populated(chunk, (int)error);
    }
}

static struct pretouch_result do_chunk(const struct chunk *chunk, enum pretouch_memory memory)
{
    if (advice_works(chunk->page_bytes)) {
        return populate(chunk);
    }
    return memory == PRETOUCH_STAYS ? touch(chunk) : touch_by_kernel(chunk);
}

struct pretouch_result pretouch(uintptr_t start, size_t bytes, size_t page_bytes,
                                enum pretouch_memory memory)
{
    struct pretouch_result all = {0, 0};
    uintptr_t last;
    if (bytes == 0) {
        return all;
    }
    if (__builtin_add_overflow(start, bytes - 1, &last)) {
        return (struct pretouch_result){0, -EINVAL};
    }
    int saved = errno;
    uintptr_t first = align_down(start, page_bytes);
    last = align_down(last, page_bytes);
    struct chunk chunk = {first, last, page_bytes};
    for (;;) {
        uintptr_t chunk_last = align_down(chunk.first | (CHUNK_BYTES - 1), page_bytes);
        chunk.last = chunk_last < last ? chunk_last : last;
        struct pretouch_result part = do_chunk(&chunk, memory);
        all.done_bytes += part.done_bytes;
        all.error = part.error;
        if (part.error != 0 || chunk.last == last) {
            break;
        }
        chunk.first = chunk.last + page_bytes;
    }
    errno = saved;
    if (all.error == 0) {
        all.done_bytes = bytes;
    } else if (all.done_bytes != 0) {
        all.done_bytes -= start - first; /* the part of the first page before the range */
    }
    return all;
}
