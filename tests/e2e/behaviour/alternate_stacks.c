/* Threads that leave their stack: a handler on an alternate signal stack after an
 * overflow, and coroutines made with makecontext. */
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/memory.h"
#include <setjmp.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <ucontext.h>

#define KIB        ((size_t)1024)
#define SWITCHES   1000
#define COROUTINES 8

static sigjmp_buf before_overflow;

static void on_fault(int signal_number)
{
    siglongjmp(before_overflow, signal_number);
}

__attribute__((noinline)) static unsigned recurse(unsigned depth)
{
    volatile unsigned char frame[512];
    frame[0] = (unsigned char)depth;
    return depth == UINT_MAX ? 0 : recurse(depth + 1) + frame[0];
}

/* Recovers from its overflow again and again, as language runtimes do. */
static void *overflows_and_goes_on(void *argument)
{
    static unsigned char alternate[64 * KIB];
    stack_t stack = {.ss_sp = alternate, .ss_size = sizeof(alternate)};
    CHECK_OK(sigaltstack(&stack, NULL));
    for (volatile int i = 0; i < 10; i++) {
        int signal_number = sigsetjmp(before_overflow, 1);
        if (signal_number == 0) {
            recurse(0);
        }
        CHECK_EQUAL(signal_number, SIGSEGV);
    }
    stack.ss_flags = SS_DISABLE;
    CHECK_OK(sigaltstack(&stack, NULL));
    return argument;
}

struct scheduler {
    ucontext_t main, coroutines[COROUTINES];
    unsigned turns;
};

static __thread struct scheduler *scheduler;

static void coroutine(int self)
{
    unsigned own = 0;
    for (int i = 0; i < SWITCHES; i++) {
        own++;
        scheduler->turns++;
        CHECK_OK(swapcontext(&scheduler->coroutines[self], &scheduler->main));
    }
    CHECK_EQUAL(own, SWITCHES);
}

static void *runs_coroutines(void *argument)
{
    struct scheduler mine = {.turns = 0};
    void *stacks[COROUTINES];
    scheduler = &mine;
    for (int i = 0; i < COROUTINES; i++) {
        stacks[i] = malloc(64 * KIB);
        CHECK(stacks[i] != NULL);
        CHECK_OK(getcontext(&mine.coroutines[i]));
        mine.coroutines[i].uc_stack.ss_sp = stacks[i];
        mine.coroutines[i].uc_stack.ss_size = 64 * KIB;
        mine.coroutines[i].uc_link = &mine.main;
        makecontext(&mine.coroutines[i], (void (*)(void))coroutine, 1, i);
    }
    for (int round = 0; round <= SWITCHES; round++) {
        for (int i = 0; i < COROUTINES; i++) {
            CHECK_OK(swapcontext(&mine.main, &mine.coroutines[i]));
        }
    }
    CHECK_EQUAL(mine.turns, SWITCHES * COROUTINES);
    for (int i = 0; i < COROUTINES; i++) {
        free(stacks[i]);
    }
    return argument;
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_fault, .sa_flags = SA_ONSTACK};
    pthread_attr_t attr;
    pthread_t threads[4];
    CHECK_OK(sigaction(SIGSEGV, &action, NULL));
    make_attr(&attr, (size_t)2 << 20, 4096);
    for (int i = 0; i < 5; i++) {
        CHECK(run_thread(&attr, overflows_and_goes_on, &attr) == &attr);
    }
    for (int i = 0; i < 4; i++) {
        CHECK_OK(pthread_create(&threads[i], &attr, runs_coroutines, NULL));
    }
    for (int i = 0; i < 4; i++) {
        CHECK_OK(pthread_join(threads[i], NULL));
    }
    CHECK_OK(pthread_attr_destroy(&attr));
    return finish();
}
