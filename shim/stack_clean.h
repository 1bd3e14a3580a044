/* Keeps the calling thread's stack free of huge pages. */
#ifndef THPFIX_SHIM_STACK_CLEAN_H
#define THPFIX_SHIM_STACK_CLEAN_H

/* Puts MADV_NOHUGEPAGE on the whole mapping of the caller's glibc stack, where a block
 * of the THP size could come to lie in it, and gives back a huge page that is in it
 * already. For the first moments of a new thread: what lies below its stack pointer is
 * dead. Kernel errors are ignored (seccomp filters): the stack is then as it would be
 * without us. No allocation, no lock, errno untouched. */
void stack_clean(void);

#endif
