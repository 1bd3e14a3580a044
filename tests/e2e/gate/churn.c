/* churn CREATORS SECONDS: threads that create and join a thread, over and over.
 *
 * Stacks of 2 MiB without a guard, as HotSpot asks for. Prints one line, for scripts:
 * creators 8 creates 51234 creates_per_s 10240 longest_create_us 931 */
#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define STACK_BYTES ((size_t)2 * 1024 * 1024)

struct creator {
    pthread_t thread;
    uint64_t creates, longest_ns;
};

static pthread_attr_t child_attr;
static pthread_barrier_t begin;
static atomic_bool over;

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void *child(void *argument)
{
    return argument;
}

static void *create(void *argument)
{
    struct creator *const self = argument;
    pthread_barrier_wait(&begin);
    while (!atomic_load_explicit(&over, memory_order_relaxed)) {
        pthread_t thread;
        const uint64_t before = now_ns();
        const int error = pthread_create(&thread, &child_attr, child, NULL);
        const uint64_t took_ns = now_ns() - before;
        if (error != 0) {
            errno = error;
            err(1, "pthread_create");
        }
        self->longest_ns = took_ns > self->longest_ns ? took_ns : self->longest_ns;
        self->creates++;
        pthread_join(thread, NULL);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        errx(2, "usage: churn CREATORS SECONDS");
    }
    const unsigned count = (unsigned)atoi(argv[1]);
    struct creator *const creators = calloc(count, sizeof *creators);
    if (creators == NULL || count == 0) {
        errx(2, "bad number of creators: %s", argv[1]);
    }
    pthread_attr_init(&child_attr);
    pthread_attr_setstacksize(&child_attr, STACK_BYTES);
    pthread_attr_setguardsize(&child_attr, 0);
    pthread_barrier_init(&begin, NULL, count + 1);
    for (unsigned i = 0; i < count; i++) {
        const int error = pthread_create(&creators[i].thread, NULL, create, &creators[i]);
        if (error != 0) {
            errno = error;
            err(1, "pthread_create");
        }
    }
    pthread_barrier_wait(&begin);
    const uint64_t since_ns = now_ns();
    usleep((useconds_t)(atof(argv[2]) * 1e6));
    atomic_store(&over, true);
    const double seconds = (double)(now_ns() - since_ns) / 1e9;
    uint64_t creates = 0, longest_ns = 0;
    for (unsigned i = 0; i < count; i++) {
        pthread_join(creators[i].thread, NULL);
        creates += creators[i].creates;
        longest_ns = creators[i].longest_ns > longest_ns ? creators[i].longest_ns : longest_ns;
    }
    printf("creators %u creates %llu creates_per_s %.0f longest_create_us %llu\n", count,
           (unsigned long long)creates, (double)creates / seconds,
           (unsigned long long)(longest_ns / 1000));
    free(creators);
    return 0;
}
