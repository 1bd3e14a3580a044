#include "detect/process_arenas.h"
#include "detect/process_pages.h"
#include "detect/process_smaps.h"
#include "tests/unit/fixture_root.h"
#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

/* Blocks of a size of our own: what a huge page leaves behind is told by its pages. */
#define BLOCK ((size_t)64 * 1024)

static struct process_pages pages;
static size_t page;
static char *start; /* four blocks, aligned, untouched */

static void setup(void)
{
    page = (size_t)sysconf(_SC_PAGESIZE);
    cr_assert_eq(process_pages_open(-1, getpid(), page, &pages), 0);
    char *memory =
        mmap(NULL, 5 * BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert(memory != MAP_FAILED);
    cr_assert_eq(madvise(memory, 5 * BLOCK, MADV_NOHUGEPAGE), 0);
    start = memory + (BLOCK - (uintptr_t)memory % BLOCK) % BLOCK;
}

static void teardown(void)
{
    process_pages_close(&pages);
}

static uint64_t full(size_t from, size_t to, const struct pages_hole *hole)
{
    uint64_t bytes = UINT64_MAX, at = (uintptr_t)start;
    cr_assert_eq(process_pages_full_blocks(&pages, at + from, at + to, BLOCK, hole, &bytes), 0);
    return bytes;
}

TestSuite(process_pages, .init = setup, .fini = teardown);

Test(process_pages, resident_bytes)
{
    uint64_t bytes, at = (uintptr_t)start;
    cr_assert_eq(process_pages_resident(&pages, at, at + 4 * BLOCK, &bytes), 0);
    cr_assert_eq(bytes, 0, "untouched");
    start[0] = start[5 * page] = start[BLOCK] = 1;
    cr_assert_eq(process_pages_resident(&pages, at, at + 4 * BLOCK, &bytes), 0);
    cr_assert_eq(bytes, 3 * page);
    cr_assert_eq(process_pages_resident(&pages, at + page, at + BLOCK, &bytes), 0);
    cr_assert_eq(bytes, page);
    cr_assert_eq(process_pages_open(-1, 999999999, page, &pages), -ESRCH);
}

Test(process_pages, only_full_blocks_count)
{
    cr_assert_eq(full(0, 4 * BLOCK, NULL), 0);
    memset(start + BLOCK, 1, BLOCK);
    cr_assert_eq(full(0, 4 * BLOCK, NULL), BLOCK);
    cr_assert_eq(full(BLOCK + page, 4 * BLOCK, NULL), BLOCK - page, "what lies between the two");
    cr_assert_eq(full(0, BLOCK + 3 * page, NULL), 3 * page);
    memset(start + 2 * BLOCK, 1, BLOCK - page);
    cr_assert_eq(full(0, 4 * BLOCK, NULL), BLOCK, "all but one page is not full");
    start[3 * BLOCK - page] = 1;
    cr_assert_eq(full(0, 4 * BLOCK, NULL), 2 * BLOCK);
}

Test(process_pages, a_hole_need_not_be_resident)
{
    uint64_t at = (uintptr_t)start;
    struct pages_hole hole = {at + BLOCK, at + BLOCK + BLOCK / 8};
    struct pages_hole large = {at + BLOCK, at + BLOCK + BLOCK / 8 + page};
    memset(start + BLOCK + BLOCK / 8, 1, BLOCK - BLOCK / 8);
    cr_assert_eq(full(BLOCK, 2 * BLOCK, NULL), 0);
    cr_assert_eq(full(BLOCK, 2 * BLOCK, &hole), BLOCK);
    cr_assert_eq(full(BLOCK + BLOCK / 8, 2 * BLOCK, &hole), BLOCK - BLOCK / 8);
    memset(start + BLOCK, 1, BLOCK);
    cr_assert_eq(full(BLOCK, 2 * BLOCK, &large), 0, "so large a hole is no guard zone");
    struct pages_hole elsewhere = {at, at + page};
    cr_assert_eq(full(BLOCK, 2 * BLOCK, &elsewhere), BLOCK);
}

Test(process_pages, arenas_prove_themselves)
{
    const uint64_t at = 16 * ARENA_HEAP_BYTES, end = at + 0x21000;
    static const struct {
        const char *what;
        uint64_t words[ARENA_WORDS];
        bool proven;
    } cases[] = {
        {"first heap", {16 * ARENA_HEAP_BYTES + 48, 0, 0x21000, 0x21000}, true},
        {"later heap", {3 * ARENA_HEAP_BYTES + 48, 9 * ARENA_HEAP_BYTES, 0x1000, 0x21000}, true},
        {"zeros", {0, 0, 0, 0}, false},
        {"arena elsewhere", {17 * ARENA_HEAP_BYTES + 48, 0, 0x21000, 0x21000}, false},
        {"arena not at a start", {16 * ARENA_HEAP_BYTES + 0x9000, 0, 0x1000, 0x1000}, false},
        {"in use beyond writable", {16 * ARENA_HEAP_BYTES + 48, 0, 0x22000, 0x21000}, false},
        {"writable beyond the mapping", {16 * ARENA_HEAP_BYTES + 48, 0, 0x1000, 0x22000}, false},
        {"no whole pages", {16 * ARENA_HEAP_BYTES + 48, 0, 0x1001, 0x21000}, false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cr_assert_eq(process_arena_proven(cases[i].words, at, end), cases[i].proven, "%s",
                     cases[i].what);
    }
    cr_assert(!process_arena_proven(cases[0].words, at + 4096, end), "not aligned");
}

static void *allocate(void *argument)
{
    pthread_barrier_t *barriers = argument;
    volatile char *memory = malloc(1000);
    memory[0] = 1;
    pthread_barrier_wait(&barriers[0]);
    pthread_barrier_wait(&barriers[1]);
    free((void *)(uintptr_t)memory);
    return NULL;
}

Test(process_pages, the_arena_of_a_thread_is_found)
{
    struct process_maps maps = {0};
    pthread_barrier_t barriers[2];
    pthread_t thread;
    pthread_barrier_init(&barriers[0], NULL, 2);
    pthread_barrier_init(&barriers[1], NULL, 2);
    cr_assert_eq(pthread_create(&thread, NULL, allocate, barriers), 0);
    pthread_barrier_wait(&barriers[0]);
    cr_assert_eq(process_read_smaps(-1, getpid(), process_maps_add, &maps), 0);
    uint64_t all = maps.total.rss_bytes;
    process_find_arenas(getpid(), NULL, &maps);
    cr_assert_eq(maps.kinds[MEMORY_ARENAS].mappings, 0, "nothing is read blindly");
    process_find_arenas(getpid(), &pages, &maps);
/* Sanitizers bring a malloc of their own. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    cr_assert_geq(maps.kinds[MEMORY_ARENAS].size_bytes, ARENA_HEAP_BYTES);
    cr_assert_gt(maps.kinds[MEMORY_ARENAS].rss_bytes, 0);
#endif
    uint64_t sum = 0;
    for (size_t i = 0; i < MEMORY_KIND_COUNT; i++) {
        sum += maps.kinds[i].rss_bytes;
    }
    cr_assert_eq(sum, all, "kinds add up to all");
    process_maps_free(&maps);
    pthread_barrier_wait(&barriers[1]);
    pthread_join(thread, NULL);
}
