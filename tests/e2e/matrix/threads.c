/* A few threads, as any C library has them: prints how many ran and what their stacks may hold.
 * Built for musl, statically, and for 32 bits. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 8

static void *use_stack(void *argument)
{
    volatile char memory[32 * 1024];

    for (size_t i = 0; i < sizeof(memory); i += 1024)
        memory[i] = 1;
    *(int *)argument = memory[0];
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    int ran[THREADS] = {0}, sum = 0;
    pthread_attr_t attributes;
    size_t size = 0;

    if (pthread_attr_init(&attributes) || pthread_attr_setstacksize(&attributes, 2 << 20) ||
        pthread_attr_getstacksize(&attributes, &size))
        return EXIT_FAILURE;
    for (int i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], &attributes, use_stack, &ran[i]))
            return EXIT_FAILURE;
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        sum += ran[i];
    }
    printf("threads %d stack %zu\n", sum, size);
    return EXIT_SUCCESS;
}
