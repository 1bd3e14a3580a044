/* The C library's own thread functions, past any library that interposes them.
 *
 * Lets a program compare what it gets with what it would have got, in one process. On
 * first use from the main thread.
 */
#ifndef THPFIX_TESTS_BEHAVIOUR_DIRECT_H
#define THPFIX_TESTS_BEHAVIOUR_DIRECT_H

#include <pthread.h>
#include <signal.h>

struct direct {
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    int (*attr_setstacksize)(pthread_attr_t *, size_t);
    int (*attr_getstacksize)(const pthread_attr_t *, size_t *);
    int (*attr_getstack)(const pthread_attr_t *, void **, size_t *);
    /* NULL before glibc 2.32. */
    int (*attr_setsigmask)(pthread_attr_t *, const sigset_t *);
    /* Deprecated, and still there: linking with it would warn. */
    int (*attr_setstackaddr)(pthread_attr_t *, void *);
};

const struct direct *direct(void);

#endif
