/* Fork, exec and exit while a range is pretouched in the background. */
#include "detect/counters_abi.h"
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/child.h"
#include "tests/e2e/pretouch/range.h"
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES (64 * MIB)

static unsigned char *start_job(void)
{
    unsigned char *range = range_map(BYTES);
    CHECK_OK(madvise(range, BYTES, MADV_HUGEPAGE));
    return range;
}

/* The child has no thread of the library, and can have ranges pretouched of its own. */
static void in_child(void *unused)
{
    (void)unused;
    CHECK_EQUAL(worker_id(), 0);
    long long before = COUNTER(pretouch_bytes);
    unsigned char *range = start_job();
    CHECK(range_wait_resident(range, BYTES, BYTES));
    CHECK(worker_wait_gone());
    CHECK_EQUAL(COUNTER(pretouch_bytes), before + (long long)BYTES);
}

static void exec_in_child(void *unused)
{
    (void)unused;
    (void)start_job();
    execl("/bin/true", "true", (char *)NULL);
    _exit(EXIT_FAILURE);
}

static void exit_in_child(void *unused)
{
    (void)unused;
    (void)start_job();
    exit(7);
}

/* More forks, each while a job is under way, than there are places for jobs. */
static void in_generation(void *context)
{
    int generation = *(int *)context + 1;
    if (generation > 10) {
        in_child(NULL);
        return;
    }
    unsigned char *range = start_job();
    child_must_succeed(in_generation, &generation);
    CHECK_OK(munmap(range, BYTES));
}

int main(void)
{
    int generation = 0;
    child_must_succeed(in_generation, &generation);

    unsigned char *range = start_job();
    range[17] = 1;
    child_must_succeed(in_child, NULL);
    CHECK(range_wait_resident(range, BYTES, BYTES));
    CHECK_OK(munmap(range, BYTES));

    child_must_succeed(exec_in_child, NULL);
    int status = child_run(exit_in_child, NULL);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    CHECK(worker_wait_gone());
    return EXIT_SUCCESS;
}
