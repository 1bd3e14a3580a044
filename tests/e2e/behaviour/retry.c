/* A creation that fails is made a second time where the stack was the cause, also with a limit
 * that came after the library looked for limits; and only once where there are no more
 * threads to be had. */
#include "detect/counters_abi.h"
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/child.h"
#include "tests/e2e/behaviour/memory.h"
#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define KIB         ((size_t)1024)
#define MIB         (KIB * KIB)
#define SLACK_BYTES (32 * KIB) /* less than any pad */
#define BEFORE      40         /* creations, after which the library does not look for a while */

static void *nothing(void *argument)
{
    return argument;
}

static int create(size_t stack_bytes)
{
    pthread_attr_t attr;
    pthread_t thread;
    make_attr(&attr, stack_bytes, 0);
    int result = pthread_create(&thread, &attr, nothing, NULL);
    if (result == 0) {
        CHECK_OK(pthread_join(thread, NULL));
    }
    return result;
}

static long retried(void)
{
    return library_counters() != NULL ? (long)library_counters()->retried_as_asked : 0;
}

/* Small ones: their stacks, which glibc keeps, are of no use to a larger thread. */
static void create_before(void)
{
    for (int i = 0; i < BEFORE; i++) {
        CHECK_OK(create(64 * KIB));
    }
    CHECK_EQUAL(retried(), 0);
}

static void no_more_threads(void *context)
{
    struct rlimit limit = {1, 1};
    (void)context;
    child_drop_root();
    create_before();
    CHECK_OK(setrlimit(RLIMIT_NPROC, &limit));
    for (int i = 0; i < 10; i++) {
        CHECK_EQUAL(create(2 * MIB), EAGAIN);
    }
    CHECK_EQUAL(retried(), 0);
}

static void late_address_space(void *context)
{
    (void)context;
    create_before();
    size_t bytes = memory_address_space_bytes() + 2 * MIB + SLACK_BYTES;
    struct rlimit limit = {bytes, bytes};
    CHECK_OK(setrlimit(RLIMIT_AS, &limit));
    CHECK_OK(create(2 * MIB));
    CHECK_EQUAL(retried(), library_expected());
}

static void late_locked(void *context)
{
    struct rlimit limit = {2 * MIB + SLACK_BYTES, 2 * MIB + SLACK_BYTES};
    (void)context;
    CHECK_OK(setrlimit(RLIMIT_MEMLOCK, &limit));
    child_drop_root();
    create_before();
    CHECK_OK(mlockall(MCL_FUTURE));
    CHECK_OK(create(2 * MIB));
    CHECK_EQUAL(retried(), library_expected());
}

int main(void)
{
    if (!child_can_drop_root()) {
        skip("needs root, to set limits and then be subject to them");
    }
    child_must_succeed(late_address_space, NULL);
    child_must_succeed(late_locked, NULL);
    child_must_succeed(no_more_threads, NULL);
    CHECK_OK(create(2 * MIB));
    return finish();
}
