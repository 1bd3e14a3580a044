/* How churn makes threads. Every error ends the process. */
#ifndef THPFIX_TESTS_CHURN_MAKE_H
#define THPFIX_TESTS_CHURN_MAKE_H

#include "churn.h"
#include <pthread.h>
#include <stdbool.h>

#define KIB    ((size_t)1024)
#define MIB    (1024 * KIB)
#define CANARY ((void *)0x7e57) /* what threads return */

struct task {
    size_t touch_bytes;
    size_t nested;
    atomic_int *cleanups; /* how many handlers ran */
    atomic_bool started;
};

void must(int error, const char *what);

/* Writes to that much of the stack below the caller. */
void use_stack(size_t bytes);

/* An attr of random size and guard; returns the size. */
size_t random_attr(pthread_attr_t *attr, uint64_t *random);

/* As pthread_create and pthread_join. */
void create_thread(pthread_t *thread, const pthread_attr_t *attr, void *(*routine)(void *),
                   void *argument);
void join_thread(pthread_t thread, const void *wanted);

/* With a random attr, and as much of its stack to be used as there is room for. */
void create_random(pthread_t *thread, void *(*routine)(void *), struct task *task,
                   uint64_t *random);

/* A routine: uses the stack as the task says, and returns the canary. */
void *touch_stack(void *task);

#endif
