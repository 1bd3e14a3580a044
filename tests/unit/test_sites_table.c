/* Sites and the threads that were created there. */
#include "shim/sites/start.h"
#include "shim/sites/table.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#define THREADS 4
#define TIMES   2000

static const uint64_t frames[] = {0x1000, 0x2000, 0x3000};

static const struct sites_site *site_of(uint32_t number)
{
    return (const struct sites_site *)(uintptr_t)thpfix_sites.sites + (number - 1);
}

/* The entry of the calling thread, and how many it has. */
static size_t entries_of_caller(uint32_t *ret_site)
{
    const struct sites_thread *entries = (const void *)(uintptr_t)thpfix_sites.threads;
    size_t count = 0;
    for (size_t i = 0; i < thpfix_sites.thread_room; i++) {
        if (entries[i].owner != 0 && entries[i].owner >> 16 << 4 == (uint64_t)pthread_self()) {
            cr_assert_eq(entries[i].thread, (uint64_t)syscall(SYS_gettid));
            *ret_site = (uint32_t)(entries[i].owner & 0xffff);
            count++;
        }
    }
    return count;
}

Test(sites_table, the_head_tells_where_everything_is)
{
    table_start(17);
    cr_assert_eq(thpfix_sites.magic, SITES_MAGIC);
    cr_assert_eq(thpfix_sites.size_bytes, sizeof(thpfix_sites));
    cr_assert_eq(thpfix_sites.site_bytes, sizeof(struct sites_site));
    cr_assert_eq(thpfix_sites.thread_room, TABLE_THREADS);
    cr_assert_eq(thpfix_sites.pid, 17);
}

Test(sites_table, a_site_is_its_frames)
{
    table_start(1);
    uint32_t three = table_find_site(frames, 3, false);
    cr_assert_neq(three, 0);
    cr_assert_eq(table_find_site(frames, 3, false), three);
    cr_assert_neq(table_find_site(frames, 2, false), three);
    cr_assert_neq(table_find_site(frames + 1, 2, false), table_find_site(frames, 2, false));
    cr_assert_neq(table_find_site(frames, 3, true), three);
    cr_assert_eq(site_of(three)->frame_count, 3);
    cr_assert_eq(site_of(three)->frames[2], 0x3000);
}

Test(sites_table, sizes_are_from_the_least_to_the_most)
{
    static const struct sites_request small = {.has_attr = true, .stack_bytes = 65536};
    static const struct sites_request large = {
        .has_attr = true, .stack_bytes = 1 << 20, .guard_bytes = 4096, .callers_stack = true};
    static const struct sites_request defaults = {.stack_bytes = 12345};
    table_start(1);
    uint32_t number = table_find_site(frames, 1, false);
    const struct sites_site *site = site_of(number);
    table_count(number, &defaults);
    cr_assert_gt(site->least_stack_bytes, site->most_stack_bytes, "no size is known");
    table_count(number, &large);
    table_count(number, &small);
    cr_assert_eq(site->created, 3);
    cr_assert_eq(site->default_sizes, 1);
    cr_assert_eq(site->callers_stacks, 1);
    cr_assert_eq(site->least_stack_bytes, 65536);
    cr_assert_eq(site->most_stack_bytes, 1 << 20);
    cr_assert_eq(site->least_guard_bytes, 0);
    cr_assert_eq(site->most_guard_bytes, 4096);
}

static void *count_often(void *argument)
{
    const struct sites_request request = {.has_attr = true, .stack_bytes = *(size_t *)argument};
    for (unsigned i = 0; i < TIMES; i++) {
        table_count(1, &request);
        table_enter_thread(1);
    }
    return NULL;
}

Test(sites_table, no_count_is_lost)
{
    pthread_t threads[THREADS];
    size_t sizes[THREADS];
    table_start(1);
    cr_assert_eq(table_find_site(frames, 3, false), 1);
    uint64_t before = site_of(1)->created;
    for (size_t i = 0; i < THREADS; i++) {
        sizes[i] = (i + 1) << 16;
        cr_assert_eq(pthread_create(&threads[i], NULL, count_often, &sizes[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        cr_assert_eq(pthread_join(threads[i], NULL), 0);
    }
    cr_assert_eq(site_of(1)->created, before + (uint64_t)THREADS * TIMES);
    cr_assert_eq(site_of(1)->least_stack_bytes, 1 << 16);
    cr_assert_eq(site_of(1)->most_stack_bytes, THREADS << 16);
}

static void *find_itself(void *argument)
{
    uint32_t site = 0;
    cr_assert_eq(entries_of_caller(&site), 1);
    *(uint32_t *)argument = site;
    return argument;
}

Test(sites_table, a_thread_enters_itself_before_its_routine)
{
    struct sites_creation creation = {0};
    uint32_t site = 0;
    pthread_t thread;
    void *result;
    table_start(1);
    for (uint32_t i = 1; i <= 5; i++) { /* on the same stack, from glibc's cache: one entry */
        cr_assert(start_prepare(find_itself, &site, i, &creation));
        cr_assert_eq(pthread_create(&thread, NULL, creation.routine, creation.argument), 0);
        cr_assert_eq(pthread_join(thread, &result), 0);
        cr_assert_eq(result, &site);
        cr_assert_eq(site, i);
    }
}
