#include "shim/pretouch_run.h"

#include <criterion/criterion.h>
#include <pthread.h>

#define MIN ((size_t)64)

static bool add(uintptr_t start, size_t bytes, struct pretouch_range *ret_due)
{
    struct pretouch_range range = {start, bytes};
    return pretouch_run_add(&range, MIN, ret_due);
}

static void expect(uintptr_t start, size_t bytes, uintptr_t due_start, size_t due_bytes)
{
    struct pretouch_range due = {0, 0};
    cr_assert(add(start, bytes, &due));
    cr_assert_eq(due.start, due_start);
    cr_assert_eq(due.bytes, due_bytes);
}

static void expect_none(uintptr_t start, size_t bytes)
{
    struct pretouch_range due = {7, 7};
    cr_assert_not(add(start, bytes, &due));
    cr_assert(due.start == 7 && due.bytes == 7);
}

Test(pretouch_run, a_large_range_is_due_at_once)
{
    expect(1000, 64, 1000, 64);
    expect(5000, 65, 5000, 65);
    expect_none(3000, 63);
    expect_none(7000, 0);
}

Test(pretouch_run, small_ones_when_they_are_large_together)
{
    expect_none(1000, 30);
    expect_none(1030, 30);
    expect(1060, 30, 1000, 90);
    expect(1090, 2, 1090, 2);
    expect(1092, 100, 1092, 100);
    expect_none(1193, 2); /* not where the last one ended */
}

Test(pretouch_run, several_grow_at_the_same_time)
{
    for (uintptr_t at = 0; at < 63; at++) {
        for (uintptr_t run = 1; run <= 8; run++) {
            expect_none(run * 1000 + at, 1);
        }
    }
    for (uintptr_t run = 1; run <= 8; run++) {
        expect(run * 1000 + 63, 1, run * 1000, 64);
    }
}

Test(pretouch_run, the_oldest_is_forgotten)
{
    for (uintptr_t run = 1; run <= 9; run++) {
        expect_none(run * 1000, 60);
    }
    expect_none(1060, 60); /* alone */
    expect(9060, 60, 9000, 120);
}

Test(pretouch_run, the_least_size_may_be_nothing)
{
    struct pretouch_range range = {1000, 1}, due;
    cr_assert(pretouch_run_add(&range, 0, &due));
    cr_assert_eq(due.bytes, 1);
}

#define THREADS 4
#define ADDED   200000

/* What is due is never more than what was added. */
static void *add_many(void *argument)
{
    uintptr_t start = ((uintptr_t)argument + 1) << 40;
    size_t sum = 0;
    for (size_t i = 0; i < ADDED; i++) {
        struct pretouch_range due;
        if (add(start + i, 1, &due)) {
            cr_assert(due.start >= start && due.start + due.bytes == start + i + 1);
            sum += due.bytes;
        }
    }
    return (void *)sum;
}

Test(pretouch_run, many_threads_at_once)
{
    pthread_t ids[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++) {
        cr_assert_eq(pthread_create(&ids[i], NULL, add_many, (void *)i), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        void *sum;
        cr_assert_eq(pthread_join(ids[i], &sum), 0);
        cr_assert_leq((size_t)sum, ADDED);
    }
}
