/* RLIMIT_AS: where the program's own request fits, the thread is made, although a larger
 * stack does not fit. */
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/count_threads.h"
#include "tests/e2e/behaviour/memory.h"
#include <stdint.h>
#include <sys/resource.h>

#define MIB ((size_t)1024 * 1024)
/* What a thread takes besides: less than any pad. */
#define SLACK_BYTES ((size_t)32 * 1024)
/* glibc before 2.34 makes stacks of a multiple of 64 KiB a page larger, on x86-64. */
#define EXTRA_BYTES ((size_t)4096)

static void *nothing(void *argument)
{
    return argument;
}

static void limit_address_space(const struct thread_count *count)
{
    size_t bytes = memory_address_space_bytes() + count->limit;
    struct rlimit limit = {bytes, bytes};
    CHECK_OK(setrlimit(RLIMIT_AS, &limit));
}

static void check_threads(size_t stack_bytes, long expected)
{
    struct thread_count count = {.stack_bytes = stack_bytes,
                                 .at_most = 1000,
                                 .set_limit = limit_address_space,
                                 .limit =
                                     (size_t)expected * (stack_bytes + EXTRA_BYTES) + SLACK_BYTES};
    check_same_count(count, expected);
}

int main(void)
{
    check_threads(2 * MIB, 1);
    check_threads(8 * MIB, 1);
    check_threads(2 * MIB, 2);
    check_threads(2 * MIB, 40);
    check_threads(8 * MIB, 12);
    run_thread(NULL, nothing, NULL);
    return finish();
}
