/* The real pthread_create, through the start gate where THPFIX_GATE=all asks for it. */
#ifndef THPFIX_SHIM_GATED_CREATE_H
#define THPFIX_SHIM_GATED_CREATE_H

#include <pthread.h>

/* As pthread_create(3); EAGAIN where there is no such function (glibc before 2.34
 * without libpthread). Any thread, after fork. */
int gated_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*routine)(void *),
                         void *argument);

#endif
