/* How much of a new thread's stack is there before its start routine runs. EXPECT_DEPTH: the
 * depth in bytes that THPFIX_PRETOUCH_STACK asks for; unset: the library is not there, and
 * neither is the stack. */
#include "detect/counters_abi.h"
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/memory.h"
#include "tests/e2e/pretouch/range.h"
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

/* What glibc and the library touch by themselves. */
#define OWN_FRAMES ((size_t)16 * 1024)

static size_t depth;

static bool is_resident(uintptr_t page)
{
    unsigned char resident = 0;
    CHECK_OK(mincore((void *)page, memory_page_bytes(), &resident));
    return (resident & 1) != 0;
}

/* From this frame down: how far is everything there? */
static size_t resident_depth(uintptr_t frame, uintptr_t low)
{
    size_t page = memory_page_bytes();
    uintptr_t at = frame & ~(uintptr_t)(page - 1);
    while (at > low && is_resident(at - page)) {
        at -= page;
    }
    return frame - at;
}

static size_t found[3]; /* of one thread at a time: how deep, of how much, what is huge */

/* Looks first, and allocates afterwards. */
static void *look(void *argument)
{
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    CHECK_EQUAL(errno, 0);
    found[0] = resident_depth(frame, frame - *(size_t *)argument);
    struct live_stack stack;
    live_stack_of_caller(&stack);
    found[1] = frame - (uintptr_t)stack.low;
    found[2] = range_huge_bytes((void *)frame);
    live_stack_touch(&stack); /* the guard is where it was, and not among it */
    return NULL;
}

static void check_thread(size_t stack_bytes, long guard_bytes)
{
    pthread_attr_t attr;
    make_attr(&attr, stack_bytes, guard_bytes);
    size_t below = stack_bytes / 2;
    run_thread(&attr, look, &below);
    size_t wanted = depth < below ? depth : below;
    CHECK(found[0] + memory_page_bytes() >= wanted);
    if (depth < below) {
        CHECK(found[0] <= depth + OWN_FRAMES);
    }
    CHECK_EQUAL(found[2], 0);
    CHECK_OK(pthread_attr_destroy(&attr));
}

/* A stack that is smaller than the depth: all of it, down to the guard. */
static void check_small_stack(long guard_bytes)
{
    size_t sizes[] = {PTHREAD_STACK_MIN, 64 * 1024};
    for (size_t i = 0; i < 2; i++) {
        pthread_attr_t attr;
        make_attr(&attr, sizes[i], guard_bytes);
        size_t below = 4096;
        run_thread(&attr, look, &below);
        CHECK_OK(pthread_attr_destroy(&attr));
    }
}

/* The program's own memory is left as it is. */
static void *look_at_own(void *argument)
{
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    found[0] = resident_depth(frame, (uintptr_t)argument);
    return NULL;
}

static void check_callers_stack(void)
{
    size_t bytes = MIB;
    void *stack = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(stack != MAP_FAILED);
    CHECK_OK(madvise(stack, bytes, MADV_NOHUGEPAGE));
    pthread_attr_t attr;
    CHECK_OK(pthread_attr_init(&attr));
    CHECK_OK(pthread_attr_setstack(&attr, stack, bytes));
    run_thread(&attr, look_at_own, stack);
    CHECK(found[0] <= OWN_FRAMES);
    CHECK_OK(pthread_attr_destroy(&attr));
    CHECK_OK(munmap(stack, bytes));
}

static void *nothing(void *argument)
{
    return argument;
}

int main(void)
{
    const char *variable = getenv("EXPECT_DEPTH");
    depth = variable != NULL ? (size_t)atol(variable) : 0;
    errno = 0;
    /* Each larger than the ones before: none comes from the cache of used stacks. */
    check_thread(MIB, -1);
    check_thread(MIB + 256 * 1024, 0);
    check_thread(8 * MIB, -1);
    check_thread(9 * MIB, 0);
    check_small_stack(-1);
    check_small_stack(0);
    check_callers_stack();
    CHECK(run_thread(NULL, nothing, &depth) == &depth);
    if (variable == NULL) {
        CHECK(library_counters() == NULL);
    } else {
        CHECK_EQUAL(COUNTER(pretouch_stacks), depth != 0 ? 9 : 0);
    }
    return EXIT_SUCCESS;
}
