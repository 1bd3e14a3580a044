#include "detect/process_stacks.h"
#include "tests/unit/fixture_root.h"
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE  ((uint64_t)4096)
#define THP   ((size_t)2 << 20)
#define FIRST ((pid_t)100) /* the first thread */
#define AT    UINT64_C(0x7f0000000000)

static struct process_maps maps;
static struct glibc_thread known[8];
static struct glibc_threads threads = {known, 0, 8, true};
static struct process_stacks stacks;

static void add_map(uint64_t start, uint64_t end, const char *permissions, uint64_t rss,
                    uint64_t huge, const char *name)
{
    struct smaps_mapping mapping = {.start = start,
                                    .end = end,
                                    .readable = permissions[0] == 'r',
                                    .writable = permissions[1] == 'w',
                                    .rss_bytes = rss,
                                    .anon_huge_bytes = huge,
                                    .has_vm_flags = true,
                                    .no_huge_page = permissions[2] == 'n'};
    strcpy(mapping.name, name);
    cr_assert_eq(process_maps_add(&mapping, &maps), 0);
}

static void add_thread(pid_t tid, uint64_t base, uint64_t end, uint64_t guard)
{
    known[threads.count++] =
        (struct glibc_thread){.tid = tid, .base = base, .end = end, .guard_bytes = guard};
}

static void match_with(size_t count, const pid_t *tids, const struct process_pages *pages)
{
    cr_assert_eq(
        process_stacks_match(FIRST, tids, NULL, count, &threads, &maps, pages, THP, &stacks), 0);
    cr_assert_eq(stacks.count, count);
}

static const pid_t tids[] = {FIRST, 101, 102, 103};

Test(process_stacks, one_stack_one_mapping)
{
    add_map(AT, AT + PAGE, "---", 0, 0, "");
    add_map(AT + PAGE, AT + 0x100000, "rwn", 5 * PAGE, 0, "");
    add_map(AT + 0x200000, AT + 0x300000, "rw", 7 * PAGE, 0, ""); /* somebody's memory */
    add_map(AT + 0x900000, AT + 0x921000, "rw", 2 * PAGE, 0, "[stack]");
    add_thread(101, AT, AT + 0x100000, PAGE);
    match_with(2, tids, NULL);
    const struct process_stack *first = &stacks.stacks[0], *stack = &stacks.stacks[1];
    cr_assert_eq(first->origin, STACK_KERNEL);
    cr_assert_eq(first->rss_bytes, 2 * PAGE);
    cr_assert_eq(stack->origin, STACK_GLIBC);
    cr_assert_eq(stack->guard_bytes, PAGE);
    cr_assert_eq(stack->rss_bytes, 5 * PAGE);
    cr_assert(stack->rss_known && stack->huge_known && stack->exempt && stack->exempt_known);
    cr_assert(!stack->merged);
    cr_assert_eq(maps.kinds[MEMORY_THREAD_STACKS].mappings, 2);
    cr_assert_eq(maps.kinds[MEMORY_THREAD_STACKS].rss_bytes, 5 * PAGE);
    cr_assert_eq(maps.kinds[MEMORY_MAIN_STACK].rss_bytes, 2 * PAGE);
    cr_assert_eq(maps.kinds[MEMORY_ANONYMOUS].rss_bytes, 7 * PAGE);
}

Test(process_stacks, hotspot_s_zones_are_guard)
{
    add_map(AT, AT + 4 * PAGE, "---", 0, 0, "");
    add_map(AT + 4 * PAGE, AT + 0x100000, "rw", PAGE, 0, "");
    add_thread(101, AT, AT + 0x100000, 0);
    match_with(2, tids, NULL);
    cr_assert_eq(stacks.stacks[1].guard_bytes, 4 * PAGE);
    cr_assert(!stacks.stacks[1].guarded_first);
    cr_assert(!stacks.stacks[1].exempt && stacks.stacks[1].exempt_known);
}

Test(process_stacks, a_guard_without_a_mapping_is_a_guard)
{
    add_map(AT, AT + 0x100000, "rw", PAGE, 0, ""); /* glibc 2.42 */
    add_thread(101, AT, AT + 0x100000, PAGE);
    match_with(2, tids, NULL);
    cr_assert_eq(stacks.stacks[1].guard_bytes, PAGE);
    cr_assert(stacks.stacks[1].guarded_first);
}

Test(process_stacks, merged_neighbours_are_told_apart_or_not_at_all)
{
    add_map(AT, AT + 0x300000, "rw", 30 * PAGE, THP, ""); /* a stack, a stack, something else */
    add_thread(101, AT, AT + 0x100000, 0);
    add_thread(102, AT + 0x100000, AT + 0x200000, 0);
    match_with(3, tids, NULL);
    for (size_t i = 1; i < 3; i++) {
        cr_assert_eq(stacks.stacks[i].origin, STACK_GLIBC);
        cr_assert(stacks.stacks[i].merged);
        cr_assert(!stacks.stacks[i].rss_known, "only the pages could tell");
        cr_assert(!stacks.stacks[i].huge_known);
    }
    cr_assert_eq(maps.kinds[MEMORY_THREAD_STACKS].size_bytes, 0x200000);
    cr_assert_eq(maps.kinds[MEMORY_THREAD_STACKS].rss_bytes, 0, "no share is guessed");
    cr_assert_eq(maps.kinds[MEMORY_ANONYMOUS].rss_bytes, 30 * PAGE);
}

Test(process_stacks, a_mapping_of_stacks_only_is_theirs_whoever_has_what)
{
    add_map(AT, AT + 0x200000, "rw", 30 * PAGE, THP, "");
    add_thread(101, AT, AT + 0x100000, 0);
    add_thread(102, AT + 0x100000, AT + 0x200000, 0);
    match_with(3, tids, NULL);
    cr_assert_eq(maps.kinds[MEMORY_THREAD_STACKS].rss_bytes, 30 * PAGE);
    cr_assert_eq(maps.kinds[MEMORY_THREAD_STACKS].huge_bytes, THP);
    cr_assert_eq(maps.kinds[MEMORY_ANONYMOUS].rss_bytes, 0);
}

Test(process_stacks, what_cannot_be_is_not_believed)
{
    add_map(AT, AT + 0x80000, "rw", PAGE, 0, "");
    add_map(AT + 0x90000, AT + 0x300000, "rw", PAGE, 0, "");
    add_thread(101, AT, AT + 0x100000, 0);            /* a hole in it */
    add_thread(102, AT + 0x100000, AT + 0x200000, 0); /* these two */
    add_thread(103, AT + 0x180000, AT + 0x280000, 0); /* overlap */
    match_with(4, tids, NULL);
    for (size_t i = 0; i < 4; i++) {
        cr_assert_eq(stacks.stacks[i].origin, STACK_UNTOLD, "%zu", i);
        cr_assert_eq(stacks.stacks[i].end, 0);
    }
    cr_assert_eq(maps.kinds[MEMORY_THREAD_STACKS].size_bytes, 0);
}

Test(process_stacks, pid_namespaces_have_ids_of_their_own)
{
    static const pid_t inner[] = {1, 7};
    add_map(AT, AT + 0x100000, "rw", PAGE, 0, "");
    add_thread(7, AT, AT + 0x100000, 0);
    cr_assert_eq(process_stacks_match(FIRST, tids, inner, 2, &threads, &maps, NULL, THP, &stacks),
                 0);
    cr_assert_eq(stacks.stacks[1].tid, 101);
    cr_assert_eq(stacks.stacks[1].origin, STACK_GLIBC);
}

Test(process_stacks, stack_pointers)
{
    struct process_stack stack = {.origin = STACK_GLIBC, .base = AT, .end = AT + 0x100000};
    process_stack_set_pointer(&stack, 0, AT + 0xff000, &maps);
    cr_assert_eq(stack.depth, DEPTH_TOLD);
    cr_assert_eq(stack.used_bytes, 0x1000);
    process_stack_set_pointer(&stack, 0, AT - 8, &maps);
    cr_assert_eq(stack.depth, DEPTH_ELSEWHERE, "on a signal stack");
    process_stack_set_pointer(&stack, -EBUSY, 0, &maps);
    cr_assert_eq(stack.depth, DEPTH_RUNNING);
    process_stack_set_pointer(&stack, -EPERM, 0, &maps);
    cr_assert_eq(stack.depth, DEPTH_FAILED);

    add_map(AT, AT + 0x100000, "rw", PAGE, 0, "");
    struct process_stack untold = {.origin = STACK_UNTOLD};
    process_stack_set_pointer(&untold, 0, AT + 0x5000, &maps);
    cr_assert_eq(untold.origin, STACK_UNTOLD, "it runs there; whose memory it is, nobody says");
    cr_assert_eq(untold.base, AT);
    process_stack_judge(&untold, NULL, THP);
    cr_assert(!untold.back_known);
}

/* A huge page, or what is left of one, by its pages; in this process's own memory. */
struct judged {
    struct process_pages pages;
    struct process_stack stack;
    char *block;
};

static void make_block(struct judged *judged)
{
    cr_assert_eq(process_pages_open(-1, getpid(), PAGE, &judged->pages), 0);
    char *memory = mmap(NULL, 2 * THP, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert(memory != MAP_FAILED);
    cr_assert_eq(madvise(memory, 2 * THP, MADV_NOHUGEPAGE), 0);
    judged->block = memory + (THP - (uintptr_t)memory % THP) % THP;
    judged->stack = (struct process_stack){.origin = STACK_GLIBC,
                                           .base = (uintptr_t)judged->block,
                                           .end = (uintptr_t)judged->block + THP,
                                           .rss_known = true,
                                           .huge_known = true};
}

static uint64_t judge(struct judged *judged, uint64_t used)
{
    judged->stack.rss_bytes = THP;
    judged->stack.back_bytes = 0;
    judged->stack.back_known = false;
    process_stack_set_pointer(&judged->stack, 0, judged->stack.end - used, &maps);
    process_stack_judge(&judged->stack, &judged->pages, THP);
    cr_assert(judged->stack.back_known);
    return judged->stack.back_bytes;
}

Test(process_stacks, what_would_return)
{
    struct judged judged;
    make_block(&judged);
    memset(judged.block + THP / 2, 1, THP / 2);
    cr_assert_eq(judge(&judged, 3 * PAGE), 0, "deep use is no huge page");
    memset(judged.block, 1, THP);
    cr_assert_eq(judge(&judged, 3 * PAGE), THP - 4 * PAGE, "and a page for the red zone");
    cr_assert_eq(judge(&judged, THP - PAGE), 0);

    /* HotSpot has taken its zones out of the huge page. */
    cr_assert_eq(madvise(judged.block, 4 * PAGE, MADV_DONTNEED), 0);
    judged.stack.guard_bytes = 4 * PAGE;
    cr_assert_eq(judge(&judged, 3 * PAGE), THP - 8 * PAGE);
    /* With a guard of glibc's, there from the start, it cannot have been one. */
    judged.stack.guarded_first = true;
    cr_assert_eq(judge(&judged, 3 * PAGE), 0);
    process_pages_close(&judged.pages);
}

Test(process_stacks, who_is_suspect)
{
    struct process_stack stack = {.origin = STACK_GLIBC, .rss_known = true, .huge_known = true};
    cr_assert(!process_stack_suspect(&stack, THP));
    process_stack_judge(&stack, NULL, THP);
    cr_assert(stack.back_known && stack.back_bytes == 0, "nothing to return, and that is known");
    stack.rss_bytes = THP / 2;
    cr_assert(process_stack_suspect(&stack, THP));
    stack.exempt = stack.exempt_known = true;
    cr_assert(!process_stack_suspect(&stack, THP), "once deep, but never huge");
    stack.huge_bytes = THP;
    cr_assert(process_stack_suspect(&stack, THP), "huge before it was exempt");
    stack.exempt = stack.exempt_known = false;
    stack.huge_bytes = stack.rss_bytes = 0;
    stack.huge_known = false;
    cr_assert(process_stack_suspect(&stack, THP));
    stack.origin = STACK_KERNEL;
    cr_assert(!process_stack_suspect(&stack, THP), "not a thread stack");
}
