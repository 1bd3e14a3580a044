/* A malloc that creates a thread when it is asked for 4242 bytes, as malloc replacements do
 * when they see fit. Prints "allocated: N": how often it was called meanwhile. */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);

static bool is_creating;
static int allocated;

static void *wait_for_ever(void *argument)
{
    for (;;)
        pause();
    return argument;
}

void *malloc(size_t size)
{
    pthread_t thread;

    allocated += is_creating;
    if (size == 4242 && !is_creating) {
        is_creating = true;
        if (pthread_create(&thread, NULL, wait_for_ever, NULL) != 0)
            abort();
        is_creating = false;
        dprintf(STDOUT_FILENO, "allocated: %d\n", allocated);
    }
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    allocated += is_creating;
    return __libc_calloc(count, size);
}
