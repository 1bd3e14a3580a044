/* RLIMIT_NPROC: as many threads as without the library, then EAGAIN. */
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/child.h"
#include "tests/e2e/behaviour/count_threads.h"
#include <sys/resource.h>

static void *nothing(void *argument)
{
    return argument;
}

static void limit_processes(const struct thread_count *count)
{
    struct rlimit limit = {count->limit, count->limit};
    child_drop_root();
    CHECK_OK(setrlimit(RLIMIT_NPROC, &limit));
}

int main(void)
{
    if (!child_can_drop_root()) {
        skip("needs root, to become a user that owns no other process");
    }
    static const size_t sizes[] = {(size_t)128 << 10, (size_t)2 << 20, (size_t)8 << 20};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct thread_count count = {
            .stack_bytes = sizes[i], .at_most = 100, .set_limit = limit_processes, .limit = 20};
        /* The process itself is the twentieth. */
        check_same_count(count, 19);
    }
    run_thread(NULL, nothing, NULL);
    return finish();
}
