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
    atomic_store(&begins, true);
    bare_start_begin();
    *(bool *)result = atomic_load(&flagged);
    bare_start_end();
    return NULL;
}

/* Each may have waited as long as anybody does, on a machine that stood still; not all. */
Test(bare_start, the_next_waits_for_the_last)
{
    unsigned waited = 0;
    for (unsigned i = 0; i < ROUNDS; i++) {
        pthread_t next;
        bool after = false;
        atomic_store(&begins, false);
        atomic_store(&flagged, false);
        bare_start_begin();
        cr_assert_eq(pthread_create(&next, NULL, begin_the_next, &after), 0);
        while (!atomic_load(&begins)) {
        }
        usleep(1000);
        atomic_store(&flagged, true);
        bare_start_end();
        cr_assert_eq(pthread_join(next, NULL), 0);
        waited += after;
    }
    cr_assert_gt(waited, 0);
}

Test(bare_start, nobody_waits_for_ever)
{
    errno = EXDEV;
    bare_start_begin();
    bare_start_begin();
    bare_start_begin();
    bare_start_end();
    bare_start_end();
    bare_start_end();
    cr_assert_eq(errno, EXDEV);
}

static void *begin_and_end(void *argument)
{
    for (unsigned i = 0; i < 10000; i++) {
        bare_start_begin();
        bare_start_end();
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
    bare_start_begin();
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        bare_start_begin();
        bare_start_end();
        _exit(0);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0);
    bare_start_end();
}
