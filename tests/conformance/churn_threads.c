/* What happens to threads that return. */
#include "churn_make.h"
#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { BATCH_MAX = 24 };

static atomic_int detached_alive;

void churn_join(uint64_t *random)
{
    struct task task = {0};
    pthread_t thread;

    create_random(&thread, touch_stack, &task, random);
    join_thread(thread, CANARY);
}

void churn_batch(uint64_t *random)
{
    struct task tasks[BATCH_MAX] = {0};
    pthread_t threads[BATCH_MAX];
    size_t count = 1 + churn_random(random, BATCH_MAX);

    for (size_t i = 0; i < count; i++)
        create_random(&threads[i], touch_stack, &tasks[i], random);
    for (size_t i = 0; i < count; i++)
        join_thread(threads[i], CANARY);
}

static void *touch_alone(void *argument)
{
    use_stack(*(size_t *)argument);
    free(argument);
    atomic_fetch_sub(&detached_alive, 1);
    return NULL;
}

void churn_detach(uint64_t *random)
{
    pthread_attr_t attr;
    pthread_t thread;

    /* Not without bounds: nobody waits for them. */
    if (atomic_load(&detached_alive) > 64)
        return;
    size_t *touch_bytes = malloc(sizeof(*touch_bytes));
    if (!touch_bytes)
        errx(1, "malloc");
    *touch_bytes = random_attr(&attr, random) / 4;
    int at_start = churn_random(random, 2) != 0;
    if (at_start)
        pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    atomic_fetch_add(&detached_alive, 1);
    create_thread(&thread, &attr, touch_alone, touch_bytes);
    if (!at_start)
        must(pthread_detach(thread), "pthread_detach");
    pthread_attr_destroy(&attr);
}

static void *create_another(void *argument)
{
    const struct task *task = argument;
    struct task inner = {.touch_bytes = task->touch_bytes, .nested = task->nested - 1};
    pthread_t thread;

    create_thread(&thread, NULL, inner.nested > 0 ? create_another : touch_stack, &inner);
    join_thread(thread, CANARY);
    return CANARY;
}

void churn_nested(uint64_t *random)
{
    struct task task = {.nested = 1 + churn_random(random, 4)};
    pthread_t thread;

    create_random(&thread, create_another, &task, random);
    join_thread(thread, CANARY);
}

void churn_callers_stack(uint64_t *random)
{
    size_t size = (1 + churn_random(random, 6)) * MIB;
    struct task task = {.touch_bytes = size / 2};
    pthread_attr_t attr;
    pthread_t thread;
    void *stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (stack == MAP_FAILED)
        err(1, "mmap");
    pthread_attr_init(&attr);
    must(pthread_attr_setstack(&attr, stack, size), "pthread_attr_setstack");
    create_thread(&thread, &attr, touch_stack, &task);
    join_thread(thread, CANARY);
    pthread_attr_destroy(&attr);
    munmap(stack, size);
}

/* The creation fails as glibc has it fail, and nothing is left behind. */
void churn_too_large(uint64_t *random)
{
    struct task task = {0};
    pthread_attr_t attr;
    pthread_t thread;

    pthread_attr_init(&attr);
    must(pthread_attr_setstacksize(&attr, (size_t)1 << (46 + churn_random(random, 3))),
         "pthread_attr_setstacksize");
    int error = pthread_create(&thread, &attr, touch_stack, &task);
    if (error != EAGAIN)
        errx(1, "a stack of no possible size: %s", strerror(error));
    pthread_attr_destroy(&attr);
}
