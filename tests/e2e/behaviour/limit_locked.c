/* mlockall(MCL_FUTURE) under RLIMIT_MEMLOCK: where the program's own request may be
 * locked, the thread is made, although a larger stack may not. */
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/child.h"
#include "tests/e2e/behaviour/count_threads.h"
#include "tests/e2e/behaviour/memory.h"
#include <sys/mman.h>
#include <sys/resource.h>

#define MIB         ((size_t)1024 * 1024)
#define SLACK_BYTES ((size_t)32 * 1024)

static void *nothing(void *argument)
{
    return argument;
}

static void limit_locked(const struct thread_count *count)
{
    struct rlimit limit = {count->limit, count->limit};
    CHECK_OK(setrlimit(RLIMIT_MEMLOCK, &limit));
    child_drop_root();
    CHECK_OK(mlockall(MCL_FUTURE));
}

static void check_threads(size_t stack_bytes, long expected)
{
    struct thread_count count = {.stack_bytes = stack_bytes,
                                 .at_most = 100,
                                 .set_limit = limit_locked,
                                 .limit = (size_t)expected * stack_bytes + SLACK_BYTES};
    check_same_count(count, expected);
}

int main(void)
{
    if (!child_can_drop_root()) {
        skip("needs root, to set the limit and then be subject to it");
    }
    check_threads(2 * MIB, 1);
    check_threads(4 * MIB, 1);
    check_threads(2 * MIB, 3);
    run_thread(NULL, nothing, NULL);
    return finish();
}
