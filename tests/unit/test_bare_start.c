#include "shim/bare_start.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 20

static atomic_bool begins, flagged;

/* Whether the one before had ended. */
static void *begin_the_next(void *result)
{
    struct bare_start next;
    atomic_store(&begins, true);
    bare_start_begin(&next);
    *(bool *)result = atomic_load(&flagged);
    bare_start_end(&next);
    return NULL;
}

/* In how many of the rounds one start waited until another was ended, by its new thread or by its
 * creator. */
static unsigned rounds_that_waited(bool by_creator)
{
    unsigned waited = 0;
    for (unsigned i = 0; i < ROUNDS; i++) {
        pthread_t next;
        struct bare_start start;
        bool after = false;
        atomic_store(&begins, false);
        atomic_store(&flagged, false);
        uint32_t turn = bare_start_begin(&start);
        cr_assert_eq(pthread_create(&next, NULL, begin_the_next, &after), 0);
        while (!atomic_load(&begins)) {
        }
        usleep(1000);
        bool claimed = by_creator && bare_start_claim(&start, turn);
        cr_assert_eq(claimed, by_creator);
        atomic_store(&flagged, true);
        if (by_creator) {
            bare_start_release(&start, turn, true);
        }
        bare_start_end(&start);
        cr_assert_eq(pthread_join(next, NULL), 0);
        waited += after;
    }
    return waited;
}

/* Each may have waited as long as anybody does, on a machine that stood still; not all. */
Test(bare_start, the_next_waits_for_the_last)
{
    cr_assert_gt(rounds_that_waited(false), 0);
    cr_assert_gt(rounds_that_waited(true), 0);
}

Test(bare_start, nobody_waits_for_ever)
{
    struct bare_start starts[3];
    errno = EXDEV;
    for (unsigned i = 0; i < 3; i++) {
        cr_assert_neq(bare_start_begin(&starts[i]), 0);
    }
    for (unsigned i = 0; i < 3; i++) {
        bare_start_end(&starts[i]);
    }
    cr_assert_eq(errno, EXDEV);
}

Test(bare_start, who_was_passed_over_does_not_end_the_turn_of_another)
{
    struct bare_start first, second;
    bare_start_begin(&first);
    uint32_t turn = bare_start_begin(&second);
    bare_start_end(&first);
    bool after = false;
    unsigned waited = 0;
    for (unsigned i = 0; i < ROUNDS && waited == 0; i++) {
        pthread_t next;
        atomic_store(&begins, false);
        atomic_store(&flagged, false);
        cr_assert_eq(pthread_create(&next, NULL, begin_the_next, &after), 0);
        while (!atomic_load(&begins)) {
        }
        usleep(1000);
        atomic_store(&flagged, true);
        bare_start_end(&second);
        cr_assert_eq(pthread_join(next, NULL), 0);
        waited += after;
        bare_start_end(&first);
        cr_assert_gt(bare_start_begin(&second), turn);
    }
    cr_assert_gt(waited, 0);
}

static atomic_bool ended;

static void *end(void *start)
{
    bare_start_end(start);
    atomic_store(&ended, true);
    return NULL;
}

Test(bare_start, the_thread_stays_while_its_creator_claims_it)
{
    const bool outcomes[] = {true, false};
    for (unsigned i = 0; i < 2 * ROUNDS; i++) {
        pthread_t thread;
        struct bare_start start;
        uint32_t turn = bare_start_begin(&start);
        cr_assert(bare_start_claim(&start, turn));
        atomic_store(&ended, false);
        cr_assert_eq(pthread_create(&thread, NULL, end, &start), 0);
        usleep(i % ROUNDS * 200);
        cr_assert_not(atomic_load(&ended));
        bare_start_release(&start, turn, outcomes[i % 2]);
        cr_assert_eq(pthread_join(thread, NULL), 0);
        cr_assert(bare_start_is_over(&start));
    }
}

Test(bare_start, what_is_over_cannot_be_claimed)
{
    struct bare_start start;
    uint32_t turn = bare_start_begin(&start);
    cr_assert_not(bare_start_is_over(&start));
    bare_start_end(&start);
    cr_assert(bare_start_is_over(&start));
    cr_assert_not(bare_start_claim(&start, turn));
    /* The record is another thread's by now. */
    uint32_t next = bare_start_begin(&start);
    cr_assert_not(bare_start_claim(&start, turn));
    cr_assert(bare_start_claim(&start, next));
    cr_assert_not(bare_start_claim(&start, next));
    bare_start_release(&start, next, true);
}

static void *begin_and_end(void *argument)
{
    for (unsigned i = 0; i < 10000; i++) {
        struct bare_start start;
        uint32_t turn = bare_start_begin(&start);
        if (i % 3 != 0 && bare_start_claim(&start, turn)) {
            bare_start_release(&start, turn, i % 3 == 1);
        }
        bare_start_end(&start);
    }
    return argument;
}

Test(bare_start, many_at_once_all_get_their_turn)
{
    pthread_t threads[8];
    for (unsigned i = 0; i < 8; i++) {
        cr_assert_eq(pthread_create(&threads[i], NULL, begin_and_end, NULL), 0);
    }
    for (unsigned i = 0; i < 8; i++) {
        cr_assert_eq(pthread_join(threads[i], NULL), 0);
    }
}

Test(bare_start, a_child_forked_meanwhile_goes_on)
{
    int status;
    struct bare_start start, in_child;
    bare_start_begin(&start);
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        bare_start_begin(&in_child);
        bare_start_end(&in_child);
        _exit(0);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0);
    bare_start_end(&start);
}
