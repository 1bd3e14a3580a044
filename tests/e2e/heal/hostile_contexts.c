/* Actors that leave their stacks, and threads that come and go. */
#include "hostile.h"

#include <stdlib.h>
#include <time.h>
#include <ucontext.h>

#define STACK_BYTES 65536

struct coroutine {
    ucontext_t outside, inside;
    struct actor *actor;
};

static _Thread_local struct coroutine *current;

static void run_inside(void)
{
    struct coroutine *coroutine = current;
    volatile uint64_t words[1024];
    struct timespec pause = {0, 300000};

    for (unsigned round = 0; round < 10; round++) {
        uint64_t seed = next_random(coroutine->actor);
        for (size_t i = 0; i < 1024; i++)
            words[i] = seed ^ i;
        nanosleep(&pause, NULL);
        swapcontext(&coroutine->inside, &coroutine->outside);
        for (size_t i = 0; i < 1024; i++)
            must(words[i] == (seed ^ i), coroutine->actor->name, "a coroutine's memory changed");
    }
}

/* What lies between has the stack pointer above it while the coroutine runs. */
static __attribute__((noinline)) void enter(struct coroutine *coroutine)
{
    volatile uint64_t words[4096];
    uint64_t seed = next_random(coroutine->actor);

    for (size_t i = 0; i < 4096; i++)
        words[i] = seed + i;
    swapcontext(&coroutine->outside, &coroutine->inside);
    for (size_t i = 0; i < 4096; i++)
        must(words[i] == seed + i, coroutine->actor->name, "memory below a coroutine changed");
}

static void play_on(struct actor *actor, char *stack)
{
    struct coroutine coroutine = {.actor = actor};

    current = &coroutine;
    getcontext(&coroutine.inside);
    coroutine.inside.uc_stack.ss_sp = stack;
    coroutine.inside.uc_stack.ss_size = STACK_BYTES;
    coroutine.inside.uc_link = &coroutine.outside;
    makecontext(&coroutine.inside, run_inside, 0);
    for (unsigned round = 0; round < 11; round++)
        enter(&coroutine);
}

void step_coroutines(struct actor *actor)
{
    char *stack = malloc(STACK_BYTES);

    must(stack != NULL, actor->name, "malloc");
    play_on(actor, stack);
    free(stack);
}

void step_inner_coroutines(struct actor *actor)
{
    char stack[STACK_BYTES];

    play_on(actor, stack);
}

static void *compute(void *argument)
{
    volatile uint64_t sum = (uint64_t)(uintptr_t)argument;

    for (unsigned i = 0; i < 10000; i++)
        sum = sum * 6364136223846793005U + 1442695040888963407U;
    return (void *)(uintptr_t)sum;
}

void step_churn(struct actor *actor)
{
    pthread_t threads[8];
    pthread_attr_t attr;
    void *result;

    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, (size_t)(next_random(actor) % 4 + 1) << 20);
    for (size_t i = 0; i < 8; i++) {
        must(pthread_create(&threads[i], &attr, compute, (void *)i) == 0, actor->name,
             "pthread_create");
    }
    for (size_t i = 0; i < 8; i++) {
        pthread_join(threads[i], &result);
        must(result == compute((void *)i), actor->name, "a thread computed something else");
    }
    pthread_attr_destroy(&attr);
}
