/* Threads that allocate, free each other's memory, and end, under whatever allocator is
 * preloaded; a fork in the middle. */
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/child.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 16
#define BLOCKS  500

static void *blocks[THREADS][BLOCKS];

static void *allocates(void *argument)
{
    size_t self = (size_t)(uintptr_t)argument;
    for (size_t i = 0; i < BLOCKS; i++) {
        size_t size = 16 + i * 37;
        blocks[self][i] = malloc(size);
        CHECK(blocks[self][i] != NULL);
        memset(blocks[self][i], (int)self, size);
    }
    return NULL;
}

static void *frees_its_neighbours(void *argument)
{
    size_t self = (size_t)(uintptr_t)argument;
    size_t neighbour = (self + 1) % THREADS;
    for (size_t i = 0; i < BLOCKS; i++) {
        CHECK_EQUAL(((unsigned char *)blocks[neighbour][i])[15 + i * 37], neighbour);
        free(blocks[neighbour][i]);
    }
    return NULL;
}

static void run_all(const pthread_attr_t *attr, void *(*routine)(void *))
{
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++) {
        CHECK_OK(pthread_create(&threads[i], attr, routine, (void *)i));
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK_OK(pthread_join(threads[i], NULL));
    }
}

static void rounds(void *attr)
{
    for (int i = 0; i < 10; i++) {
        run_all(attr, allocates);
        run_all(attr, frees_its_neighbours);
    }
}

int main(void)
{
    pthread_attr_t attr;
    make_attr(&attr, (size_t)2 << 20, 0);
    rounds(&attr);
    child_must_succeed(rounds, &attr);
    rounds(NULL);
    CHECK_OK(pthread_attr_destroy(&attr));
    return finish();
}
