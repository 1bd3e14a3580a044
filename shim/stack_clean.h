/* Keeps the calling thread's stack free of huge pages. */
#ifndef THPFIX_SHIM_STACK_CLEAN_H
#define THPFIX_SHIM_STACK_CLEAN_H

#include <pthread.h>
#include <stdbool.h>

/* What was seen when a stack got its flag. */
struct stack_marks {
    bool flagged;
    bool below_a_new_stack; /* so that nothing had merged with it from above */
    bool cleaned_lately;    /* it is one from glibc's cache */
};

/* Puts MADV_NOHUGEPAGE on the stack of a new thread from outside. False, with *ret_marks
 * untouched, where there was no need or it could not be done, which also is where no thread has
 * looked for its own stack so far. The thread must not end meanwhile. No allocation, no lock, errno
 * untouched. */
bool stack_flag_new(pthread_t thread, struct stack_marks *ret_marks);

/* Puts MADV_NOHUGEPAGE on the whole mapping of the caller's glibc stack, where a block
 * of the THP size could come to lie in it, unless its creator has (by_creator, or NULL), and gives
 * back a huge page that is in it already. For the first moments of a new thread: what lies below
 * its stack pointer is dead. Kernel errors are ignored (seccomp filters): the stack is then as
 * it would be without us. No allocation, no lock, errno untouched. */
void stack_clean(const struct stack_marks *by_creator);

#endif
