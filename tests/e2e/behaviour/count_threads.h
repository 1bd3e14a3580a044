/* How many threads can be made under a limit? */
#ifndef THPFIX_TESTS_BEHAVIOUR_COUNT_THREADS_H
#define THPFIX_TESTS_BEHAVIOUR_COUNT_THREADS_H

#include <stdbool.h>
#include <stddef.h>

struct thread_count {
    size_t stack_bytes;
    long at_most;
    size_t limit;
    /* Sets the limit, in a child process, before the first thread. */
    void (*set_limit)(const struct thread_count *);
    bool past_the_library; /* with the C library's own pthread_create */
};

/* Makes threads that stay until one fails, once with the library and once past it. The
 * count is the same, is `expected`, and fewer than at_most: the limit was reached. */
void check_same_count(struct thread_count count, long expected);

#endif
