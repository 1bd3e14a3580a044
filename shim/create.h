/* One thread creation in an active process: plan, ask, and ask again as the caller did. */
#ifndef THPFIX_SHIM_CREATE_H
#define THPFIX_SHIM_CREATE_H

#include <pthread.h>
#include <stdbool.h>

/* As pthread_create(3), with the stack as plan_stack wants it. A changed request that
 * fails, and not for want of a thread, is made again as the caller made it, and that
 * result is returned. The caller's attributes are never written to: they are const, and
 * may be shared. Any thread. */
int create_thread(pthread_t *thread, const pthread_attr_t *attr, void *(*routine)(void *),
                  void *argument);

/* As pthread_create(3), with the request as the program made it, in a process that is not
 * active: a size that was stored with the mark of plan_encode_size while it was, counts as
 * it was set. The thread populates its stack before it starts (THPFIX_PRETOUCH_STACK),
 * unless the stack is the caller's. Any thread. */
int create_as_asked(pthread_t *thread, const pthread_attr_t *attr, void *(*routine)(void *),
                    void *argument);

/* Did pthread_attr_setstack (or setstackaddr) put a stack into the attributes? */
bool create_has_callers_stack(const pthread_attr_t *attr);

#endif
