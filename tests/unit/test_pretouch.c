/* pretouch() on every kind of kernel: with MADV_POPULATE_WRITE, without, and with one that
 * reports success and does nothing. */
#include "shim/pretouch.h"
#include "tests/unit/fixture_root.h"
#include "tests/unit/seccomp_madvise.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

struct way {
    const char *name;
    bool has_filter;
    uint32_t action;
    enum pretouch_memory memory;
};

static const struct way ways[] = {
    {"as the kernel is, may vanish", false, 0, PRETOUCH_MAY_VANISH},
    {"as the kernel is, stays", false, 0, PRETOUCH_STAYS},
    {"no advice, may vanish", true, SECCOMP_RET_ERRNO | EINVAL, PRETOUCH_MAY_VANISH},
    {"no advice, stays", true, SECCOMP_RET_ERRNO | EINVAL, PRETOUCH_STAYS},
    {"lying advice, may vanish", true, SECCOMP_RET_ERRNO, PRETOUCH_MAY_VANISH},
    {"lying advice, stays", true, SECCOMP_RET_ERRNO, PRETOUCH_STAYS},
};
#define WAYS (sizeof(ways) / sizeof(ways[0]))

static size_t page;

static void for_every_way(void (*check)(const struct way *), bool with_stays)
{
    page = (size_t)sysconf(_SC_PAGESIZE);
    for (size_t i = 0; i < WAYS; i++) {
        if (ways[i].memory == PRETOUCH_STAYS && !with_stays) {
            continue; /* the promise would not be kept */
        }
        fprintf(stderr, "%s\n", ways[i].name);
        fixture_in_child((void (*)(void *))(uintptr_t)check, (void *)(uintptr_t)&ways[i]);
    }
}

/* In the child: the kernel of that way, and memory between two pages that are not there. */
static unsigned char *begin(const struct way *way, size_t pages)
{
    CHILD_REQUIRE(!way->has_filter || answer_populate(way->action));
    unsigned char *memory = mmap(NULL, (pages + 2) * page, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHILD_REQUIRE(memory != MAP_FAILED);
    CHILD_REQUIRE(madvise(memory, (pages + 2) * page, MADV_NOHUGEPAGE) == 0);
    CHILD_REQUIRE(mprotect(memory, page, PROT_NONE) == 0);
    CHILD_REQUIRE(mprotect(memory + (pages + 1) * page, page, PROT_NONE) == 0);
    return memory + page;
}

/* Is the page memory of its own? The zero page, which a read maps, is not. */
static bool is_populated(const void *address)
{
    uint64_t entry = 0;
    int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    CHILD_REQUIRE(fd >= 0);
    CHILD_REQUIRE(pread(fd, &entry, sizeof(entry), (off_t)((uintptr_t)address / page * 8)) == 8);
    close(fd);
    return entry >> 63 != 0 && (entry >> 56 & 1) != 0; /* present, mapped by us alone */
}

static void require_populated(const unsigned char *memory, size_t pages, size_t from, size_t to)
{
    for (size_t i = 0; i < pages; i++) {
        CHILD_REQUIRE(is_populated(memory + i * page) == (i >= from && i < to));
    }
}

static void require(struct pretouch_result result, size_t done_bytes, int error)
{
    if (result.done_bytes != done_bytes || result.error != error) {
        fprintf(stderr, "did %zu bytes and %d, expected %zu and %d\n", result.done_bytes,
                result.error, done_bytes, error);
    }
    CHILD_REQUIRE(result.done_bytes == done_bytes && result.error == error);
}

/* The kernel has two words for it. */
static bool is_fault(int error)
{
    return error == -EFAULT || error == -ENOMEM;
}

static void require_nothing(struct pretouch_result result)
{
    require(result, 0, is_fault(result.error) ? result.error : -EFAULT);
}

static void check_edges(const struct way *way)
{
    const struct {
        size_t start, bytes, from, to; /* bytes; pages */
    } cases[] = {
        {0, 0, 0, 0},
        {3 * page, 1, 3, 4},
        {3 * page + page - 1, 1, 3, 4},
        {3 * page + page - 1, 2, 3, 5},
        {3 * page + 17, page, 3, 5},
        {3 * page, 2 * page, 3, 5},
        {0, 8 * page, 0, 8},
        {7 * page, page, 7, 8},
    };
    unsigned char *memory = begin(way, 8);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        errno = 4711;
        require(pretouch((uintptr_t)memory + cases[i].start, cases[i].bytes, page, way->memory),
                cases[i].bytes, 0);
        CHILD_REQUIRE(errno == 4711);
        require_populated(memory, 8, cases[i].from, cases[i].to);
        CHILD_REQUIRE(madvise(memory, 8 * page, MADV_DONTNEED) == 0);
    }
}

Test(pretouch, the_first_and_the_last_page_are_right)
{
    for_every_way(check_edges, true);
}

static void check_values(const struct way *way)
{
    size_t pages = 3000; /* several chunks, none of them whole at the edges */
    unsigned char *memory = begin(way, pages);
    for (size_t i = 0; i < pages * page; i += 2 * page) {
        memset(memory + i, (int)(i / page % 251) + 1, page);
    }
    /* And read but never written: the zero page. */
    unsigned char seen = 0;
    for (size_t i = page; i < pages * page; i += 4 * page) {
        seen |= *(volatile unsigned char *)(memory + i);
    }
    CHILD_REQUIRE(seen == 0);
    require(pretouch((uintptr_t)memory, pages * page, page, way->memory), pages * page, 0);
    for (size_t i = 0; i < pages * page; i++) {
        size_t at = i / page;
        CHILD_REQUIRE(memory[i] == (at % 2 == 0 ? at % 251 + 1 : 0));
    }
    require_populated(memory, pages, 0, pages);
}

Test(pretouch, no_value_changes)
{
    for_every_way(check_values, true);
}

/* Page 5 of 9 cannot be had. */
static void check_stops_at(const struct way *way, int protection, int error)
{
    unsigned char *memory = begin(way, 9);
    if (protection < 0) {
        CHILD_REQUIRE(munmap(memory + 5 * page, page) == 0);
    } else {
        CHILD_REQUIRE(mprotect(memory + 5 * page, page, protection) == 0);
    }
    struct pretouch_result result = pretouch((uintptr_t)memory + 17, 8 * page, page, way->memory);
    CHILD_REQUIRE(is_fault(result.error));
    require(result, 5 * page - 17, error != 0 ? error : result.error);
    for (size_t i = 0; i < 5; i++) {
        CHILD_REQUIRE(is_populated(memory + i * page));
    }
}

static void check_hole(const struct way *way)
{
    check_stops_at(way, -1, 0);
}

static void check_no_access(const struct way *way)
{
    check_stops_at(way, PROT_NONE, -EFAULT);
}

static void check_read_only(const struct way *way)
{
    check_stops_at(way, PROT_READ, -EFAULT);
}

Test(pretouch, stops_where_nothing_is_mapped)
{
    for_every_way(check_hole, false);
}

Test(pretouch, stops_at_a_page_without_access)
{
    for_every_way(check_no_access, false);
}

Test(pretouch, stops_at_a_read_only_page)
{
    for_every_way(check_read_only, false);
}

static void check_end(const struct way *way)
{
    (void)begin(way, 1);
    uintptr_t last = UINTPTR_MAX - page + 1;
    require_nothing(pretouch(last, page, page, way->memory));
    require_nothing(pretouch(last + 5, page - 5, page, way->memory));
    require_nothing(pretouch(1, SIZE_MAX, page, way->memory));
    require(pretouch(last, page + 1, page, way->memory), 0, -EINVAL);

#if defined(__x86_64__) || defined(__aarch64__)
#ifdef __x86_64__
    uintptr_t end = UINT64_C(0x7ffffffff000);
#else
    uintptr_t end = UINT64_C(1) << 48;
#endif
    /* The last page that a program can have; the stack may have it already. */
    void *top = mmap((void *)(end - page), page, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    CHILD_REQUIRE(top == (void *)(end - page) || errno == EEXIST);
    require(pretouch(end - page, page, page, way->memory), page, 0);
    CHILD_REQUIRE(is_populated((void *)(end - page)));
    struct pretouch_result beyond = pretouch(end - page, 3 * page, page, way->memory);
    require(beyond, page, is_fault(beyond.error) ? beyond.error : -EFAULT);
#endif
}

Test(pretouch, the_end_of_the_address_space)
{
    for_every_way(check_end, false);
}

/* A filter that comes after the advice was seen to work, as a sandbox puts it on. */
static void check_late_filter(void *context)
{
    uint32_t action = *(uint32_t *)context;
    const struct way unfiltered = {.memory = PRETOUCH_MAY_VANISH};
    unsigned char *memory = begin(&unfiltered, 9);
    pretouch_prepare(page);
    CHILD_REQUIRE(answer_populate(action));
    require(pretouch((uintptr_t)memory, 9 * page, page, PRETOUCH_STAYS), 9 * page, 0);
    require_populated(memory, 9, 0, 9);
}

Test(pretouch, a_filter_may_come_later)
{
    page = (size_t)sysconf(_SC_PAGESIZE);
    static uint32_t actions[] = {SECCOMP_RET_ERRNO | EINVAL, SECCOMP_RET_ERRNO | EPERM,
                                 SECCOMP_RET_ERRNO | ENOSYS};
    for (size_t i = 0; i < 3; i++) {
        fixture_in_child(check_late_filter, &actions[i]);
    }
}
