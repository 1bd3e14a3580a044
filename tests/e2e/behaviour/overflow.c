/* A thread that runs off the end of its stack meets a guard, and the process dies: also
 * with the library where the program asked for no guard, when by itself it would go on in
 * its neighbour's stack. */
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/child.h"
#include "tests/e2e/behaviour/memory.h"
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB         ((size_t)1024 * 1024)
#define STACKS      8
#define NOT_STOPPED 17
/* glibc makes a guard that large on arm64, and tells the size that was asked for. */
#define LARGEST_GUARD (64 * 1024)

__attribute__((noinline)) static unsigned recurse(unsigned depth)
{
    volatile unsigned char frame[512];
    frame[0] = (unsigned char)depth;
    return depth == UINT_MAX ? 0 : recurse(depth + 1) + frame[0];
}

static void *overflows(void *argument)
{
    recurse(0);
    return argument;
}

static void *nothing(void *argument)
{
    return argument;
}

static void overflow_one(void *attr)
{
    run_thread(attr, overflows, NULL);
}

static void dies_of_overflow(size_t stack_bytes, long guard_bytes)
{
    pthread_attr_t attr;
    make_attr(&attr, stack_bytes, guard_bytes);
    int status = child_run(overflow_one, &attr);
    CHECK(WIFSIGNALED(status));
    CHECK_EQUAL(WTERMSIG(status), SIGSEGV);
    CHECK_OK(pthread_attr_destroy(&attr));
}

static struct live_stack stacks[STACKS];
static pthread_barrier_t all_known;

/* Writes just below the lowest byte of the stack of the first thread that has another
 * one's right below. */
static void *writes_below(void *argument)
{
    size_t self = (size_t)(uintptr_t)argument;
    live_stack_of_caller(&stacks[self]);
    pthread_barrier_wait(&all_known);
    for (size_t i = 0; i < STACKS; i++) {
        ptrdiff_t gap = stacks[self].low - (stacks[i].low + stacks[i].size_bytes);
        if (gap >= (ptrdiff_t)stacks[self].guard_bytes && gap <= LARGEST_GUARD) {
            *(volatile unsigned char *)(stacks[self].low - 1) = 1;
            _exit(NOT_STOPPED);
        }
    }
    pause();
    return NULL;
}

static void write_into_neighbour(void *context)
{
    pthread_attr_t attr;
    pthread_t threads[STACKS];
    (void)context;
    make_attr(&attr, 2 * MIB, 0);
    CHECK_OK(pthread_barrier_init(&all_known, NULL, STACKS));
    for (uintptr_t i = 0; i < STACKS; i++) {
        CHECK_OK(pthread_create(&threads[i], &attr, writes_below, (void *)i));
    }
    pause();
}

int main(void)
{
    static const size_t sizes[] = {128 * 1024, MIB, 2 * MIB, 8 * MIB};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        dies_of_overflow(sizes[i], -1);
        dies_of_overflow(sizes[i], 4096);
        if (library_expected()) {
            dies_of_overflow(sizes[i], 0);
        }
    }
    int status = child_run(write_into_neighbour, NULL);
    if (library_expected()) {
        CHECK(WIFSIGNALED(status));
        CHECK_EQUAL(WTERMSIG(status), SIGSEGV);
    } else {
        CHECK(WIFEXITED(status));
        CHECK_EQUAL(WEXITSTATUS(status), NOT_STOPPED);
        puts("without the library, guard 0: a write below the stack goes to the neighbour");
    }
    run_thread(NULL, nothing, NULL);
    return finish();
}
