/* The functions next in line, found with dlsym.
 *
 * Each accessor resolves on first use, without a lock: two threads may resolve the
 * same name at once and find the same answer. NULL where there is no such function,
 * or only our own (a symbol that resolves to ourselves would recurse for ever). The
 * constructor resolves all, so that later calls are one load. Any thread; after
 * fork.
 */
#ifndef THPFIX_SHIM_REAL_H
#define THPFIX_SHIM_REAL_H

#include <pthread.h>
#include <stddef.h>

/* X(name, result, parameters) */
#define REAL_FUNCTIONS(X)                                                                          \
    X(pthread_create, int, (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))       \
    X(pthread_attr_init, int, (pthread_attr_t *))                                                  \
    X(pthread_attr_destroy, int, (pthread_attr_t *))                                               \
    X(pthread_attr_getstack, int, (const pthread_attr_t *, void **, size_t *))                     \
    X(pthread_attr_getstacksize, int, (const pthread_attr_t *, size_t *))                          \
    X(pthread_attr_setstacksize, int, (pthread_attr_t *, size_t))                                  \
    X(pthread_attr_getguardsize, int, (const pthread_attr_t *, size_t *))                          \
    X(pthread_attr_setguardsize, int, (pthread_attr_t *, size_t))                                  \
    X(pthread_getattr_default_np, int, (pthread_attr_t *))                                         \
    X(pthread_setattr_default_np, int, (const pthread_attr_t *))                                   \
    X(gnu_get_libc_version, const char *, (void))

#define REAL_DECLARE(name, result, parameters)                                                     \
    typedef result real_##name##_function parameters;                                              \
    real_##name##_function *real_##name(void);
REAL_FUNCTIONS(REAL_DECLARE)
#undef REAL_DECLARE

/* Resolves every name now. */
void real_resolve_all(void);

#endif
