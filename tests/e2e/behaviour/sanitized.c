/* Built with a sanitizer, whose runtime interposes pthread_create itself: threads work,
 * and the sanitizer goes on seeing what is wrong in them. The argument "wrong" does what
 * it is there to find. */
#include "tests/e2e/behaviour/check.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 16

static long unguarded;
static long guarded;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *correct(void *argument)
{
    volatile char local[4096];
    char *allocated = malloc(100);
    CHECK(allocated != NULL);
    for (size_t i = 0; i < sizeof(local); i++) {
        local[i] = (char)i;
    }
    memset(allocated, local[1], 100);
    free(allocated);
    pthread_mutex_lock(&lock);
    guarded++;
    pthread_mutex_unlock(&lock);
    return argument;
}

/* Reads one byte beyond, and races for a variable. */
static void *wrong(void *argument)
{
    volatile char *allocated = calloc(100, 1);
    size_t beyond = 100 + (argument == NULL);
    for (int i = 0; i < 1000; i++) {
        unguarded++;
    }
    if (allocated != NULL && allocated[beyond] == 1) {
        unguarded++;
    }
    free((void *)(uintptr_t)allocated);
    return argument;
}

int main(int argc, char **argv)
{
    bool is_wrong = argc == 2 && strcmp(argv[1], "wrong") == 0;
    pthread_attr_t attr;
    pthread_t threads[THREADS];
    make_attr(&attr, (size_t)2 << 20, 0);
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < THREADS; i++) {
            CHECK_OK(pthread_create(&threads[i], i % 2 == 0 ? &attr : NULL,
                                    is_wrong ? wrong : correct, &attr));
        }
        for (int i = 0; i < THREADS; i++) {
            void *result;
            CHECK_OK(pthread_join(threads[i], &result));
            CHECK(result == &attr);
        }
    }
    CHECK(is_wrong || guarded == (long)10 * THREADS);
    CHECK_OK(pthread_attr_destroy(&attr));
    puts(is_wrong ? "not found" : "no complaint");
    return finish();
}
