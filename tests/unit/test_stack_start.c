#include "shim/runtime.h"
#include "shim/stack_start.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

/* In the library, runtime_active has always run before. */
TestSuite(stack_start, .init = runtime_start);

static void *twice(void *argument)
{
    return (void *)((uintptr_t)argument * 2);
}

Test(stack_start, the_routine_gets_its_argument_and_its_result_comes_back)
{
    struct start_record *record = stack_start_prepare(twice, (void *)21, false);
    pthread_t id;
    void *result;
    cr_assert_not_null(record);
    cr_assert_eq(pthread_create(&id, NULL, stack_start_routine, record), 0);
    cr_assert_eq(pthread_join(id, &result), 0);
    cr_assert_eq((uintptr_t)result, 42);
}

Test(stack_start, an_empty_pool_says_so_and_recovers)
{
    size_t taken = 0, room = 1 << 20;
    struct start_record **records = calloc(room, sizeof(*records));
    cr_assert_not_null(records);
    while (taken < room && (records[taken] = stack_start_prepare(twice, NULL, false)) != NULL) {
        taken++;
    }
    cr_assert(taken >= 10000, "only %zu threads can be in flight", taken);
    cr_assert_lt(taken, room, "the pool has no end");
    stack_start_abandon(records[0]);
    cr_assert_eq(stack_start_prepare(twice, NULL, false), records[0]);
    for (size_t i = 0; i < taken; i++) {
        stack_start_abandon(records[i]);
    }
    /* Each record once: a list that was damaged would hand one out twice, or lose some. */
    size_t again = 0;
    while (again < taken && stack_start_prepare(twice, NULL, false) != NULL) {
        again++;
    }
    cr_assert_eq(again, taken);
    cr_assert_null(stack_start_prepare(twice, NULL, false));
    free(records);
}

#define WORKERS 4
#define ROUNDS  200000

/* Whoever holds a record owns it: its routine and argument are nobody else's. */
static void *churn(void *argument)
{
    uintptr_t worker = (uintptr_t)argument, wrong = 0;
    for (uintptr_t i = 0; i < ROUNDS; i++) {
        struct start_record *first =
            stack_start_prepare(twice, (void *)(worker * ROUNDS + i), false);
        struct start_record *second =
            stack_start_prepare(twice, (void *)(worker * ROUNDS + i), false);
        wrong += first == NULL || second == NULL || first == second;
        stack_start_abandon(first);
        wrong += (uintptr_t)stack_start_routine(second) != (worker * ROUNDS + i) * 2;
    }
    return (void *)wrong;
}

Test(stack_start, many_threads_never_share_a_record)
{
    pthread_t ids[WORKERS];
    for (uintptr_t i = 0; i < WORKERS; i++) {
        cr_assert_eq(pthread_create(&ids[i], NULL, churn, (void *)i), 0);
    }
    for (size_t i = 0; i < WORKERS; i++) {
        void *wrong;
        pthread_join(ids[i], &wrong);
        cr_assert_eq((uintptr_t)wrong, 0);
    }
}
