/* THPFIX_SITES=1: has every thread creation recorded by libthpfix-sites.so. */
#ifndef THPFIX_SHIM_SITES_HOOK_H
#define THPFIX_SHIM_SITES_HOOK_H

#include <pthread.h>
#include <stdbool.h>

/* Loads libthpfix-sites.so, which lies beside this library, where it is asked for and the
 * program is one to act in. Where that fails: one line on stderr, and no sites. Once, from
 * the constructor: takes the loader's lock, and allocates. */
void sites_load(void);

/* Is it loaded? Any thread. */
bool sites_recording(void);

typedef int sites_create_function(pthread_t *thread, const pthread_attr_t *attr,
                                  void *(*routine)(void *), void *argument);

/* create, with its site recorded, and its result. caller: the address that the program's
 * call of pthread_create returns to. Only while sites_recording(). Any thread, after
 * fork. */
int sites_create(sites_create_function *create, pthread_t *thread, const pthread_attr_t *attr,
                 void *(*routine)(void *), void *argument, const void *caller);

#endif
