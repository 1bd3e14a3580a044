/* A library that makes threads in its constructor. */
#include "tests/e2e/behaviour/early.h"

#include "detect/counters_abi.h"
#include "detect/verdict.h"
#include <dlfcn.h>
#include <pthread.h>

#define THREADS 20

__attribute__((visibility("default"))) struct early_report early_report;

static void *nothing(void *argument)
{
    return argument;
}

__attribute__((constructor)) static void make_threads(void)
{
    const struct counters *counters = dlsym(RTLD_DEFAULT, COUNTERS_SYMBOL);
    early_report.ran = true;
    early_report.library_loaded = counters != NULL;
    early_report.library_had_started =
        counters != NULL && counters->verdict_reason != VERDICT_REASON_NOT_EVALUATED;

    pthread_attr_t attr;
    pthread_t threads[THREADS];
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, (size_t)2 << 20);
    pthread_attr_setguardsize(&attr, 0);
    for (int i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], i % 2 == 0 ? &attr : NULL, nothing, &attr) != 0) {
            return;
        }
    }
    for (int i = 0; i < THREADS; i++) {
        void *result;
        early_report.threads += pthread_join(threads[i], &result) == 0 && result == &attr;
    }
    pthread_attr_destroy(&attr);
}
