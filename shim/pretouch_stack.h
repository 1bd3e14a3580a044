/* THPFIX_PRETOUCH_STACK: populates the calling thread's stack before its start routine. */
#ifndef THPFIX_SHIM_PRETOUCH_STACK_H
#define THPFIX_SHIM_PRETOUCH_STACK_H

/* Populates what lies below the caller's frame, to the depth that is asked for or to the
 * guard, whichever comes first; nothing where none is asked for. For the first moments
 * of a new thread on a stack of glibc's. No allocation, no lock, errno untouched. */
void pretouch_stack(void);

#endif
