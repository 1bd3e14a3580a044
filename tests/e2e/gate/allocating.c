/* allocating SYMBOL: threads that create threads, and memory in all of them.
 *
 * SYMBOL is one that only the allocator in question has, so that a preload which did not
 * happen is no success; "-" for the C library's. What is allocated is written and read
 * back. With EXPECT_PASSES, so many starts at least have to have gone through a gate. */
#include "detect/counters_abi.h"

#include <dlfcn.h>
#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CREATORS 100
#define CHILDREN 100 /* of each */
#define BLOCKS   50

static void use_memory(unsigned seed)
{
    unsigned char *blocks[BLOCKS];
    size_t sizes[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
        sizes[i] = 1 + (seed * 2654435761u + (unsigned)i * 40503u) % (i % 10 == 0 ? 100000 : 500);
        blocks[i] = malloc(sizes[i]);
        if (blocks[i] == NULL) {
            err(1, "malloc");
        }
        memset(blocks[i], (int)(seed + (unsigned)i), sizes[i]);
    }
    for (int i = 0; i < BLOCKS; i++) {
        const unsigned char expected = (unsigned char)(seed + (unsigned)i);
        if (blocks[i][0] != expected || blocks[i][sizes[i] - 1] != expected) {
            errx(1, "a block was overwritten");
        }
        free(blocks[i]);
    }
}

static void *child(void *argument)
{
    use_memory((unsigned)(uintptr_t)argument);
    return argument;
}

static pthread_t create(void *(*routine)(void *), uintptr_t argument)
{
    pthread_t thread;
    const int error = pthread_create(&thread, NULL, routine, (void *)argument);
    if (error != 0) {
        errno = error;
        err(1, "pthread_create");
    }
    return thread;
}

static void *creator(void *argument)
{
    for (uintptr_t i = 0; i < CHILDREN; i++) {
        const pthread_t thread = create(child, (uintptr_t)argument * CHILDREN + i);
        use_memory((unsigned)i);
        pthread_join(thread, NULL);
    }
    return argument;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        errx(2, "usage: allocating SYMBOL");
    }
    if (strcmp(argv[1], "-") != 0 && dlsym(RTLD_DEFAULT, argv[1]) == NULL) {
        errx(1, "the allocator is not loaded: no %s", argv[1]);
    }
    pthread_t creators[CREATORS];
    for (uintptr_t i = 0; i < CREATORS; i++) {
        creators[i] = create(creator, i);
    }
    for (int i = 0; i < CREATORS; i++) {
        pthread_join(creators[i], NULL);
    }
    const struct counters *const counters = dlsym(RTLD_DEFAULT, COUNTERS_SYMBOL);
    const char *const expected = getenv("EXPECT_PASSES");
    if (expected != NULL &&
        (counters == NULL || counters->gate_passes < (uint64_t)atoi(expected))) {
        errx(1, "only %llu starts went through the gate",
             (unsigned long long)(counters != NULL ? counters->gate_passes : 0));
    }
    if (counters != NULL && counters->gate_timeouts != 0) {
        errx(1, "%llu starts waited for the limit", (unsigned long long)counters->gate_timeouts);
    }
    return 0;
}
