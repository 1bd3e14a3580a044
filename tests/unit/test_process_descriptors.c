#include "detect/process_descriptors.h"
#include "detect/process_smaps.h"
#include "tests/unit/fixture_root.h"
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

/* Threads as a glibc of no known version could keep them, in this process's own memory:
 * the descriptor lies at the top of its stack. */
#define PAGE             4096
#define STACK_BYTES      (16 * PAGE)
#define DESCRIPTOR_BYTES 512
#define LIST_OFFSET      64
#define TID_OFFSET       96
#define BOUNDS_OFFSET    400
#define THREADS          5

struct list {
    struct list *next, *previous;
};

static struct list own, callers;
static char *stacks[THREADS];

static char *descriptor_of(size_t i)
{
    return stacks[i] + STACK_BYTES - DESCRIPTOR_BYTES;
}

static void put(size_t i, size_t offset, uint64_t value)
{
    memcpy(descriptor_of(i) + offset, &value, sizeof(value));
}

static struct list *node_of(size_t i)
{
    return (struct list *)(void *)(descriptor_of(i) + LIST_OFFSET);
}

static void append(struct list *head, struct list *node)
{
    node->next = head;
    node->previous = head->previous;
    head->previous->next = node;
    head->previous = node;
}

static void setup(void)
{
    own.next = own.previous = &own;
    callers.next = callers.previous = &callers;
    for (size_t i = 0; i < THREADS; i++) {
        stacks[i] =
            mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        cr_assert(stacks[i] != MAP_FAILED);
        int32_t tid = (int32_t)(100 - i * 10);
        memcpy(descriptor_of(i) + TID_OFFSET, &tid, sizeof(tid));
        put(i, BOUNDS_OFFSET, (uintptr_t)stacks[i]);
        put(i, BOUNDS_OFFSET + 8, STACK_BYTES);
        put(i, BOUNDS_OFFSET + 16, PAGE);
        append(i < 3 ? &own : &callers, node_of(i));
    }
}

TestSuite(process_descriptors, .init = setup);

static int walk(struct glibc_threads *ret_threads)
{
    struct glibc_layout layout = {(uintptr_t)&own, (uintptr_t)&callers, LIST_OFFSET, TID_OFFSET,
                                  DESCRIPTOR_BYTES};
    return process_walk_descriptors(getpid(), &layout, NULL, ret_threads);
}

Test(process_descriptors, both_lists_with_bounds)
{
    struct glibc_threads threads;
    cr_assert_eq(walk(&threads), 0);
    cr_assert(threads.complete);
    cr_assert_eq(threads.count, THREADS);
    for (size_t i = 0; i < THREADS; i++) {
        const struct glibc_thread *thread = &threads.threads[THREADS - 1 - i];
        cr_assert_eq(thread->tid, (pid_t)(100 - i * 10), "ascending by tid");
        cr_assert_eq(thread->descriptor, (uintptr_t)descriptor_of(i));
        cr_assert_eq(thread->base, (uintptr_t)stacks[i]);
        cr_assert_eq(thread->end, (uintptr_t)stacks[i] + STACK_BYTES);
        cr_assert_eq(thread->guard_bytes, PAGE);
        cr_assert_eq(thread->callers_stack, i >= 3);
    }
    process_free_descriptors(&threads);
}

Test(process_descriptors, a_place_that_is_not_the_only_one_is_not_believed)
{
    struct glibc_threads threads;
    for (size_t i = 0; i < 3; i++) { /* another pair that would do as well */
        put(i, 200, (uintptr_t)stacks[i] + PAGE);
        put(i, 208, STACK_BYTES - PAGE);
    }
    cr_assert_eq(walk(&threads), 0);
    cr_assert_eq(threads.count, THREADS);
    for (size_t i = 0; i < THREADS; i++) {
        cr_assert_eq(threads.threads[i].end, 0);
    }
    process_free_descriptors(&threads);

    put(1, 208, 1); /* it fits two of three: struck out */
    cr_assert_eq(walk(&threads), 0);
    cr_assert_eq(threads.threads[THREADS - 1].base, (uintptr_t)stacks[0]);
    process_free_descriptors(&threads);
}

Test(process_descriptors, threads_that_have_ended_are_left_out)
{
    struct glibc_threads threads;
    int32_t none = 0;
    memcpy(descriptor_of(1) + TID_OFFSET, &none, sizeof(none));
    cr_assert_eq(walk(&threads), 0);
    cr_assert_eq(threads.count, THREADS - 1);
    process_free_descriptors(&threads);
}

Test(process_descriptors, a_list_that_changes_is_told_to_be_incomplete)
{
    struct glibc_threads threads;
    struct list *previous = node_of(2)->previous;
    node_of(2)->previous = &callers; /* not where we came from */
    cr_assert_eq(walk(&threads), 0);
    cr_assert(!threads.complete);
    cr_assert_eq(threads.count, THREADS - 1, "what was read so far, and the other list");
    process_free_descriptors(&threads);
    node_of(2)->previous = previous;

    node_of(0)->next = (struct list *)(uintptr_t)(PAGE + LIST_OFFSET); /* nothing is there */
    cr_assert_eq(walk(&threads), 0);
    cr_assert(!threads.complete);
    cr_assert_eq(threads.count, 3);
    process_free_descriptors(&threads);
}

Test(process_descriptors, an_endless_list_has_an_end)
{
    struct glibc_threads threads;
    node_of(1)->next = node_of(1);
    node_of(1)->previous = node_of(1);
    node_of(0)->next = node_of(1);
    cr_assert_eq(walk(&threads), 0);
    cr_assert(!threads.complete);
    process_free_descriptors(&threads);
}

Test(process_descriptors, layouts_that_make_no_sense)
{
    struct glibc_threads threads = {.count = 17};
    const struct glibc_layout layouts[] = {
        {0, 0, LIST_OFFSET, TID_OFFSET, DESCRIPTOR_BYTES},
        {(uintptr_t)&own, 0, DESCRIPTOR_BYTES, TID_OFFSET, DESCRIPTOR_BYTES},
        {(uintptr_t)&own, 0, UINT32_MAX, TID_OFFSET, DESCRIPTOR_BYTES},
        {(uintptr_t)&own, 0, LIST_OFFSET, UINT32_MAX - 2, DESCRIPTOR_BYTES},
        {(uintptr_t)&own, 0, LIST_OFFSET, TID_OFFSET, 1 << 20},
    };
    for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
        cr_assert_eq(process_walk_descriptors(getpid(), &layouts[i], NULL, &threads), -EINVAL,
                     "%zu", i);
        cr_assert_eq(threads.count, 17, "untouched");
    }
}

Test(process_descriptors, bounds_of_a_descriptor)
{
    const uint64_t base = 0x7f0000000000, end = base + 0x100000, descriptor = end - 0x940;
    static const struct {
        const char *what;
        uint64_t words[DESCRIPTOR_BOUND_WORDS];
        bool fits;
        uint64_t guard;
    } cases[] = {
        {"guard", {0x7f0000000000, 0x100000, 0x1000, 0x1000}, true, 0x1000},
        {"no guard", {0x7f0000000000, 0x100000, 0, 0}, true, 0},
        {"2.42: a mode, then the guard", {0x7f0000000000, 0x100000, 2, 0x1000}, true, 0x1000},
        {"guard of no whole pages", {0x7f0000000000, 0x100000, 1, 17}, false, 0},
        {"all of it guard", {0x7f0000000000, 0x100000, 0x100000, 0}, false, 0},
        {"no base", {0, 0x100000, 0, 0}, false, 0},
        {"no size", {0x7f0000000000, 0, 0, 0}, false, 0},
        {"ends below the descriptor", {0x7f0000000000, 0xff000, 0, 0}, false, 0},
        {"begins above it", {0x7f0000100000, 0x100000, 0, 0}, false, 0},
        {"far larger than a descriptor", {0x7f0000000000, 0x8000000, 0, 0}, false, 0},
        {"end overflows", {0x7f0000000000, UINT64_MAX, 0, 0}, false, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint64_t guard = 0;
        cr_assert_eq(process_bounds_fit(cases[i].words, descriptor, &guard), cases[i].fits, "%s",
                     cases[i].what);
        cr_assert_eq(guard, cases[i].guard, "%s", cases[i].what);
    }
}

#define MANY 300

/* The newest lies lowest, and comes first in the list, as with glibc. */
static void make_many(char **alike)
{
    own.next = own.previous = &own;
    for (size_t i = 0; i < MANY; i++) {
        alike[i] = mmap(NULL, PAGE + STACK_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        cr_assert(alike[i] != MAP_FAILED);
        alike[i] += PAGE;
        /* One has a guard of its own besides: there the row breaks off, and begins anew. */
        size_t guard = i == 140 ? PAGE : 0;
        cr_assert_eq(mprotect(alike[i] + guard, STACK_BYTES - guard, PROT_READ | PROT_WRITE), 0);
        stacks[0] = alike[i];
        int32_t tid = (int32_t)(1000 + i);
        memcpy(descriptor_of(0) + TID_OFFSET, &tid, sizeof(tid));
        put(0, BOUNDS_OFFSET, (uintptr_t)stacks[0]);
        put(0, BOUNDS_OFFSET + 8, STACK_BYTES);
        struct list *node = node_of(0);
        node->previous = &own;
        node->next = own.next;
        own.next->previous = node;
        own.next = node;
    }
}

static void check_many(struct glibc_threads *threads, char **alike)
{
    cr_assert(threads->complete);
    cr_assert_eq(threads->count, MANY);
    for (size_t i = 0; i < MANY; i++) {
        cr_assert_eq(threads->threads[i].tid, (pid_t)(1000 + i));
        cr_assert_eq(threads->threads[i].base, (uintptr_t)alike[i], "%zu", i);
    }
    process_free_descriptors(threads);
}

Test(process_descriptors, many_stacks_alike_are_read_at_once)
{
    static char *alike[MANY];
    struct process_maps maps = {0};
    struct glibc_threads threads;
    make_many(alike);
    cr_assert_eq(process_read_maps(-1, getpid(), process_maps_add, &maps), 0);
    struct glibc_layout layout = {(uintptr_t)&own, 0, LIST_OFFSET, TID_OFFSET, DESCRIPTOR_BYTES};
    cr_assert_eq(process_walk_descriptors(getpid(), &layout, &maps, &threads), 0);
    check_many(&threads, alike);
    process_maps_free(&maps);
}

/* A walk that goes on with each mapping. */
struct told {
    struct process_maps maps;
    struct process_walk walk;
    size_t most_ahead; /* threads found of which no mapping had been told; there are none */
};

static int tell(const struct smaps_mapping *mapping, void *context)
{
    struct told *told = context;
    int result = process_maps_add(mapping, &told->maps);
    process_walk_on(&told->walk);
    const struct glibc_threads *found = &told->walk.threads;
    for (size_t i = 0; i < found->count; i++) {
        told->most_ahead += found->threads[i].descriptor >= mapping->end;
    }
    return result;
}

Test(process_descriptors, a_walk_keeps_step_with_the_mappings)
{
    static char *alike[MANY];
    static struct told told;
    struct glibc_threads threads;
    make_many(alike);
    struct glibc_layout layout = {(uintptr_t)&own, 0, LIST_OFFSET, TID_OFFSET, DESCRIPTOR_BYTES};
    cr_assert_eq(process_walk_begin(getpid(), &layout, &told.maps, &told.walk), 0);
    process_walk_on(&told.walk);
    cr_assert_eq(told.walk.threads.count, 0, "nothing is told yet");
    cr_assert_eq(process_read_maps(-1, getpid(), tell, &told), 0);
    cr_assert_eq(told.most_ahead, 0);
    cr_assert_gt(told.walk.threads.count, MANY / 2, "not left to the end");
    cr_assert_eq(process_walk_end(&told.walk, &threads), 0);
    check_many(&threads, alike);

    /* What changes meanwhile is read again at the end. */
    cr_assert_eq(process_walk_begin(getpid(), &layout, &told.maps, &told.walk), 0);
    told.walk.before++;
    process_walk_on(&told.walk);
    cr_assert_not(told.walk.threads.complete);
    cr_assert_eq(process_walk_end(&told.walk, &threads), 0);
    check_many(&threads, alike);
    process_maps_free(&told.maps);
}
