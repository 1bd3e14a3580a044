#include "shim/map_budget.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static size_t calls(size_t mappings, size_t limit)
{
    return map_budget_room(mappings, limit).calls;
}

static bool guards(size_t mappings, size_t limit)
{
    return map_budget_room(mappings, limit).guards;
}

Test(map_budget, an_eighth_stays_free_and_half_of_the_rest)
{
    cr_assert_eq(calls(0, 65536), (65536 - 8192) / 4);
    cr_assert_eq(calls(20000, 65536), (65536 - 8192 - 20000) / 4);
}

Test(map_budget, near_the_limit_nothing_more)
{
    cr_assert_eq(calls(65536, 65536), 0);
    cr_assert_eq(calls(70000, 65536), 0);
    cr_assert_eq(calls(65536 - 8192, 65536), 0);
    cr_assert_eq(calls(65536 - 8192 - 4095, 65536), 0);
    cr_assert_neq(calls(65536 - 8192 - 4096, 65536), 0);
    cr_assert_eq(calls(0, 0), 0);
    cr_assert_eq(calls(SIZE_MAX, SIZE_MAX), 0);
}

Test(map_budget, guards_end_while_there_is_room_for_flags)
{
    cr_assert(guards(0, 65536));
    cr_assert(guards(65536 - 8192 - 16384 - 1024, 65536));
    cr_assert_not(guards(65536 - 8192 - 16384, 65536));
    cr_assert_eq(calls(65536 - 8192 - 16384, 65536), 4096);
    cr_assert_not(guards(65536, 65536));
    cr_assert_not(guards(0, 0));
}

Test(map_budget, what_is_allowed_never_reaches_into_the_reserve)
{
    for (size_t limit = 0; limit < 200000; limit += 997) {
        for (size_t mappings = 0; mappings < 200000; mappings += 1009) {
            struct map_room room = map_budget_room(mappings, limit);
            size_t after = mappings + 2 * room.calls;
            cr_assert(room.calls == 0 || after <= limit - limit / 8);
            cr_assert(!room.guards || after <= limit - limit / 8 - limit / 4);
        }
    }
}

static size_t max_map_count(void)
{
    char text[32] = "";
    int fd = open("/proc/sys/vm/max_map_count", O_RDONLY);
    cr_assert_geq(fd, 0);
    cr_assert_gt(read(fd, text, sizeof(text) - 1), 0);
    close(fd);
    return strtoul(text, NULL, 10);
}

static void *counts_all_the_time(void *ended)
{
    while (!atomic_load((atomic_bool *)ended)) {
        map_budget_doubt();
        (void)map_budget_allows(MAP_FLAG);
    }
    return NULL;
}

/* 0 where the child, with the mappings gone, finds that there is room. */
static int child_finds_room(char *mappings, size_t bytes)
{
    int status;
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        munmap(mappings, bytes);
        map_budget_doubt();
        _exit(map_budget_allows(MAP_FLAG) ? 0 : 1);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    return status;
}

Test(map_budget, a_child_forked_while_a_thread_counts_can_count)
{
    size_t limit = max_map_count(), page = (size_t)sysconf(_SC_PAGESIZE);
    if (limit > 100000) {
        cr_skip("vm.max_map_count is too large to be used up here");
    }
    size_t count = (limit - limit / 8) | 1, bytes = count * page;
    char *mappings = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(mappings, MAP_FAILED);
    for (size_t i = 1; i < count; i += 2) {
        cr_assert_eq(mprotect(mappings + i * page, page, PROT_READ), 0);
    }
    cr_assert_not(map_budget_allows(MAP_FLAG));

    atomic_bool ended = false;
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, counts_all_the_time, &ended), 0);
    int failed = 0;
    for (int i = 0; i < 10; i++) {
        usleep(1000);
        failed += child_finds_room(mappings, bytes) != 0;
    }
    atomic_store(&ended, true);
    cr_assert_eq(pthread_join(thread, NULL), 0);
    cr_assert_eq(failed, 0);
}
