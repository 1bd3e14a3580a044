/* What happens to threads. */
#include "churn.h"
#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define KIB         ((size_t)1024)
#define MIB         (1024 * KIB)
#define CANARY      ((void *)0x7e57)
#define FRAME_BYTES ((size_t)4096)

enum { BATCH_MAX = 24 };

struct task {
    size_t touch_bytes;
    size_t nested;
    atomic_int *cleanups; /* how many handlers ran */
    atomic_bool started;
};

static atomic_int detached_alive;

uint64_t churn_random(uint64_t *random, uint64_t below)
{
    /* xorshift64* */
    *random ^= *random >> 12;
    *random ^= *random << 25;
    *random ^= *random >> 27;
    return (*random * UINT64_C(2685821657736338717) >> 33) % below;
}

static __attribute__((noinline)) void use_stack(size_t bytes)
{
    volatile char frame[FRAME_BYTES];

    frame[0] = 1;
    if (bytes > FRAME_BYTES)
        use_stack(bytes - FRAME_BYTES);
    frame[FRAME_BYTES - 1] = frame[0];
}

/* Returns the size of the stack. */
static size_t random_attr(pthread_attr_t *attr, uint64_t *random)
{
    static const size_t sizes[] = {64 * KIB,    256 * KIB, MIB,     2 * MIB,
                                   2 * MIB + 1, 4 * MIB,   8 * MIB, 4 * MIB - 4 * KIB};
    static const size_t guards[] = {0, 0, 4 * KIB, 4 * KIB, 1, 64 * KIB};
    size_t size = sizes[churn_random(random, sizeof(sizes) / sizeof(sizes[0]))];

    pthread_attr_init(attr);
    if (churn_random(random, 8) > 0 && pthread_attr_setstacksize(attr, size) != 0)
        errx(1, "pthread_attr_setstacksize");
    pthread_attr_setguardsize(attr, guards[churn_random(random, 6)]);
    pthread_attr_getstacksize(attr, &size);
    return size;
}

static void must(int error, const char *what)
{
    if (error != 0)
        errx(1, "%s: %s", what, strerror(error));
}

static void create(pthread_t *thread, const pthread_attr_t *attr, void *(*routine)(void *),
                   void *argument)
{
    must(pthread_create(thread, attr, routine, argument), "pthread_create");
    atomic_fetch_add(&churn_progress->created, 1);
}

static void create_random(pthread_t *thread, void *(*routine)(void *), struct task *task,
                          uint64_t *random)
{
    pthread_attr_t attr;
    size_t size = random_attr(&attr, random);

    task->touch_bytes = churn_random(random, (size > 2 * MIB ? 2 * MIB : size) / 2);
    create(thread, &attr, routine, task);
    pthread_attr_destroy(&attr);
}

static void *touch(void *argument)
{
    const struct task *task = argument;

    use_stack(task->touch_bytes);
    return CANARY;
}

static void join(pthread_t thread, const void *wanted)
{
    void *result;

    must(pthread_join(thread, &result), "pthread_join");
    if (result != wanted)
        errx(1, "a thread returned %p instead of %p", result, wanted);
}

int churn_one_thread(uint64_t *random)
{
    struct task task = {0};
    pthread_attr_t attr;
    pthread_t thread;
    size_t size = random_attr(&attr, random);

    task.touch_bytes = size / 4;
    int error = pthread_create(&thread, &attr, touch, &task);
    pthread_attr_destroy(&attr);
    if (error == 0)
        join(thread, CANARY);
    return error;
}

void churn_join(uint64_t *random)
{
    struct task task = {0};
    pthread_t thread;

    create_random(&thread, touch, &task, random);
    join(thread, CANARY);
}

void churn_batch(uint64_t *random)
{
    struct task tasks[BATCH_MAX] = {0};
    pthread_t threads[BATCH_MAX];
    size_t count = 1 + churn_random(random, BATCH_MAX);

    for (size_t i = 0; i < count; i++)
        create_random(&threads[i], touch, &tasks[i], random);
    for (size_t i = 0; i < count; i++)
        join(threads[i], CANARY);
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
    create(&thread, &attr, touch_alone, touch_bytes);
    if (!at_start)
        must(pthread_detach(thread), "pthread_detach");
    pthread_attr_destroy(&attr);
}

static void count_cleanup(void *argument)
{
    const struct task *task = argument;

    atomic_fetch_add(task->cleanups, 1);
}

static void *leave_from_below(void *argument)
{
    const struct task *task = argument;

    pthread_cleanup_push(count_cleanup, argument);
    use_stack(task->touch_bytes);
    pthread_exit(CANARY);
    pthread_cleanup_pop(0);
    return NULL;
}

static void *wait_for_cancel(void *argument)
{
    struct task *task = argument;

    pthread_cleanup_push(count_cleanup, argument);
    use_stack(task->touch_bytes);
    atomic_store(&task->started, true);
    for (;;)
        pause();
    pthread_cleanup_pop(0);
    return NULL;
}

static void *spin_until_cancelled(void *argument)
{
    struct task *task = argument;

    pthread_cleanup_push(count_cleanup, argument);
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    atomic_store(&task->started, true);
    for (;;)
        continue;
    pthread_cleanup_pop(0);
    return NULL;
}

static void ends_with_cleanup(void *(*routine)(void *), const void *wanted, uint64_t *random)
{
    atomic_int cleanups = 0;
    struct task task = {.cleanups = &cleanups};
    pthread_t thread;

    create_random(&thread, routine, &task, random);
    if (wanted == PTHREAD_CANCELED) {
        /* One that comes before the routine runs must not be lost. */
        while (churn_random(random, 4) > 0 && !atomic_load(&task.started))
            usleep(100);
        must(pthread_cancel(thread), "pthread_cancel");
    }
    join(thread, wanted);
    if (cleanups != 1)
        errx(1, "%d cleanup handlers ran instead of one", cleanups);
}

void churn_thread_exit(uint64_t *random)
{
    ends_with_cleanup(leave_from_below, CANARY, random);
}

void churn_cancel_deferred(uint64_t *random)
{
    ends_with_cleanup(wait_for_cancel, PTHREAD_CANCELED, random);
}

void churn_cancel_at_once(uint64_t *random)
{
    ends_with_cleanup(spin_until_cancelled, PTHREAD_CANCELED, random);
}

static void *create_another(void *argument)
{
    const struct task *task = argument;
    struct task inner = {.touch_bytes = task->touch_bytes, .nested = task->nested - 1};
    pthread_t thread;

    create(&thread, NULL, inner.nested > 0 ? create_another : touch, &inner);
    join(thread, CANARY);
    return CANARY;
}

void churn_nested(uint64_t *random)
{
    struct task task = {.nested = 1 + churn_random(random, 4)};
    pthread_t thread;

    create_random(&thread, create_another, &task, random);
    join(thread, CANARY);
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
    create(&thread, &attr, touch, &task);
    join(thread, CANARY);
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
    int error = pthread_create(&thread, &attr, touch, &task);
    if (error != EAGAIN)
        errx(1, "a stack of no possible size: %s", strerror(error));
    pthread_attr_destroy(&attr);
}
