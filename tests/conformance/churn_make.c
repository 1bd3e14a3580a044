#include "churn_make.h"
#include <err.h>
#include <string.h>

#define FRAME_BYTES ((size_t)4096)

uint64_t churn_random(uint64_t *random, uint64_t below)
{
    /* xorshift64* */
    *random ^= *random >> 12;
    *random ^= *random << 25;
    *random ^= *random >> 27;
    return (*random * UINT64_C(2685821657736338717) >> 33) % below;
}

void use_stack(size_t bytes)
{
    volatile char frame[FRAME_BYTES];

    frame[0] = 1;
    if (bytes > FRAME_BYTES)
        use_stack(bytes - FRAME_BYTES);
    frame[FRAME_BYTES - 1] = frame[0];
}

size_t random_attr(pthread_attr_t *attr, uint64_t *random)
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

void must(int error, const char *what)
{
    if (error != 0)
        errx(1, "%s: %s", what, strerror(error));
}

void create_thread(pthread_t *thread, const pthread_attr_t *attr, void *(*routine)(void *),
                   void *argument)
{
    must(pthread_create(thread, attr, routine, argument), "pthread_create");
    atomic_fetch_add(&churn_progress->created, 1);
}

void create_random(pthread_t *thread, void *(*routine)(void *), struct task *task, uint64_t *random)
{
    pthread_attr_t attr;
    size_t size = random_attr(&attr, random);

    task->touch_bytes = churn_random(random, (size > 2 * MIB ? 2 * MIB : size) / 2);
    create_thread(thread, &attr, routine, task);
    pthread_attr_destroy(&attr);
}

void *touch_stack(void *argument)
{
    const struct task *task = argument;

    use_stack(task->touch_bytes);
    return CANARY;
}

void join_thread(pthread_t thread, const void *wanted)
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
    int error = pthread_create(&thread, &attr, touch_stack, &task);
    pthread_attr_destroy(&attr);
    if (error == 0)
        join_thread(thread, CANARY);
    return error;
}
