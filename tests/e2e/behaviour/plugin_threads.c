#include "tests/e2e/behaviour/plugin.h"

#define THREADS 10

static void *count_up(void *counter)
{
    return (void *)__atomic_add_fetch((long *)counter, 1, __ATOMIC_SEQ_CST);
}

__attribute__((visibility("default"))) int plugin_run_threads(const pthread_attr_t *attr)
{
    pthread_t threads[THREADS];
    long counter = 0;
    int made = 0;
    while (made < THREADS && pthread_create(&threads[made], attr, count_up, &counter) == 0) {
        made++;
    }
    for (int i = 0; i < made; i++) {
        pthread_join(threads[i], NULL);
    }
    return (int)counter;
}
