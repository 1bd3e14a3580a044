#include "shim/stack_bounds.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define PAGE ((size_t)4096)

static const struct stack_bounds_thread thread = {
    .descriptor = 0x7f0000200700, .stack_pointer = 0x7f0000200100, .page_bytes = PAGE};
#define BASE  ((uintptr_t)0x7f0000000000)
#define SIZE  ((uintptr_t)0x201000)
#define GUARD ((uintptr_t)0x1000)

static ptrdiff_t find(const uintptr_t *words, size_t count, struct stack_bounds *bounds)
{
    return stack_bounds_find(words, count, &thread, bounds);
}

Test(stack_bounds, found_among_other_words)
{
    uintptr_t words[] = {thread.descriptor, 0, BASE + 5, SIZE, 3, BASE, SIZE, GUARD, GUARD, 0};
    struct stack_bounds bounds = {0};
    cr_assert_eq(find(words, 10, &bounds), 5);
    cr_assert_eq(bounds.base, BASE);
    cr_assert_eq(bounds.end, BASE + SIZE);
    cr_assert_eq(bounds.guard_bytes, GUARD);
}

Test(stack_bounds, a_mode_word_before_the_guard_is_passed_over)
{
    uintptr_t words[] = {BASE, SIZE, 2, GUARD};
    struct stack_bounds bounds = {0};
    cr_assert_eq(find(words, 4, &bounds), 0);
    cr_assert_eq(bounds.guard_bytes, GUARD);
}

Test(stack_bounds, odd_sizes_end_with_their_last_page)
{
    uintptr_t words[] = {BASE, SIZE - 64, GUARD, GUARD};
    struct stack_bounds bounds = {0};
    cr_assert_eq(find(words, 4, &bounds), 0);
    cr_assert_eq(bounds.end, BASE + SIZE);
}

Test(stack_bounds, words_that_do_not_prove_themselves_are_refused)
{
    const uintptr_t wrong[][4] = {
        {0, SIZE, GUARD, GUARD},               /* no base */
        {BASE + 8, SIZE, GUARD, GUARD},        /* base within a page */
        {BASE + 0x201000, SIZE, GUARD, GUARD}, /* base above the stack pointer */
        {BASE, 0x1ff000, GUARD, GUARD},        /* ends below the descriptor */
        {BASE, SIZE << 12, GUARD, GUARD},      /* ends far above it */
        {BASE, UINTPTR_MAX, GUARD, GUARD},     /* wraps */
        {BASE, SIZE, SIZE, SIZE},              /* guard as large as the stack */
        {BASE, SIZE, 0x200800, 0x200800},      /* guard no whole pages */
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct stack_bounds bounds = {1, 2, 3};
        cr_assert_eq(find(wrong[i], 4, &bounds), -1, "case %zu", i);
        cr_assert_eq(bounds.base, 1);
        cr_assert_eq(bounds.end, 2);
    }
    cr_assert_eq(find((const uintptr_t[]){BASE, SIZE, GUARD}, 3, &(struct stack_bounds){0}), -1);
}

struct observed {
    bool found, told;
    struct stack_bounds bounds;
    void *address;
    size_t size, guard;
};

static void *observe(void *argument)
{
    struct observed *observed = argument;
    pthread_attr_t attr;
    observed->found = stack_bounds_of_caller((size_t)sysconf(_SC_PAGESIZE), &observed->bounds);
    if (pthread_getattr_np(pthread_self(), &attr) == 0) {
        observed->told = pthread_attr_getstack(&attr, &observed->address, &observed->size) == 0 &&
                         pthread_attr_getguardsize(&attr, &observed->guard) == 0;
        pthread_attr_destroy(&attr);
    }
    return NULL;
}

/* What pthread_getattr_np says in its own words. */
static void check_against_glibc(size_t size, size_t guard)
{
    struct observed observed = {0};
    pthread_attr_t attr;
    pthread_t id;
    pthread_attr_init(&attr);
    cr_assert_eq(pthread_attr_setstacksize(&attr, size), 0);
    cr_assert_eq(pthread_attr_setguardsize(&attr, guard), 0);
    cr_assert_eq(pthread_create(&id, &attr, observe, &observed), 0);
    pthread_join(id, NULL);
    pthread_attr_destroy(&attr);
    cr_assert(observed.told);
    cr_assert(observed.found, "size %zu guard %zu", size, guard);
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t end = (uintptr_t)observed.address + observed.size;
    cr_assert_eq(observed.bounds.end, (end + page - 1) & ~(page - 1));
    cr_assert_eq(observed.bounds.base + observed.bounds.guard_bytes, (uintptr_t)observed.address);
}

Test(stack_bounds, agrees_with_pthread_getattr_np)
{
    const size_t sizes[] = {
        64 << 10, 100001, 1 << 20, 2 << 20, (2 << 20) + 4096, 8 << 20, (64 << 20) + 68 * 1024};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        for (size_t guard = 0; guard <= 64 << 10; guard += 16 << 10) {
            check_against_glibc(sizes[i], guard);
        }
    }
}

Test(stack_bounds, a_cached_stack_larger_than_asked_is_told_as_it_is)
{
    check_against_glibc(8 << 20, 4096);
    check_against_glibc(4 << 20, 4096);
    check_against_glibc(5 << 20, 0);
}

Test(stack_bounds, the_main_thread_is_on_no_glibc_stack)
{
    struct stack_bounds bounds;
    cr_assert_not(stack_bounds_of_caller((size_t)sysconf(_SC_PAGESIZE), &bounds));
}

static void *observe_from_outside(void *argument)
{
    struct observed *observed = argument;
    observed->found = stack_bounds_of_caller((size_t)sysconf(_SC_PAGESIZE), &observed->bounds);
    pause();
    return NULL;
}

/* It is cancelled in pause(), or before it, so that it is there for as long as it is looked at. */
Test(stack_bounds, the_creator_finds_what_the_thread_finds)
{
    struct stack_bounds bounds[2];
    struct observed observed[2] = {{0}};
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (unsigned i = 0; i < 2; i++) {
        pthread_t id;
        cr_assert_eq(pthread_create(&id, NULL, observe_from_outside, &observed[i]), 0);
        bool found = stack_bounds_of_new(id, page, &bounds[i]);
        pthread_cancel(id);
        pthread_join(id, NULL);
        cr_assert(observed[i].found);
        cr_assert(found || i == 0, "a thread has found its own before");
        cr_assert(!found || memcmp(&bounds[i], &observed[i].bounds, sizeof(bounds[i])) == 0);
    }
}
