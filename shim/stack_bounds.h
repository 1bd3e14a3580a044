/* Where the calling thread's glibc stack lies.
 *
 * glibc keeps base, size and guard of a stack in the thread descriptor, next to each
 * other, at an offset that differs between versions. pthread_getattr_np reads the same
 * words, but allocates and takes a lock, which a new thread must not do here: the
 * first malloc on a thread makes an arena. So the words are looked for once and
 * believed only if they prove themselves for the calling thread, each time: base below
 * the stack pointer, end above the descriptor, whole pages, guard within. Anything else
 * is "not located", and the stack is left alone.
 */
#ifndef THPFIX_SHIM_STACK_BOUNDS_H
#define THPFIX_SHIM_STACK_BOUNDS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stack_bounds {
    uintptr_t base;     /* lowest byte of the mapping, guard included */
    uintptr_t end;      /* first byte above it */
    size_t guard_bytes; /* 0: none, or none that is known */
};

/* For a thread that glibc put on a stack of its own making. false, with *ret_bounds
 * untouched, where the bounds could not be told. Any thread; async-signal-safe. */
bool stack_bounds_of_caller(size_t page_bytes, struct stack_bounds *ret_bounds);

/* The same for a thread that was created and cannot end meanwhile; false also before a thread
 * has asked for its own. */
bool stack_bounds_of_new(pthread_t thread, size_t page_bytes, struct stack_bounds *ret_bounds);

struct stack_bounds_thread {
    uintptr_t descriptor, stack_pointer;
    size_t page_bytes;
};

/* Looks through the words of a descriptor for a base, size and guard that fit the
 * thread. Returns the index of the base and fills *ret_bounds, or -1. Pure. */
ptrdiff_t stack_bounds_find(const uintptr_t *words, size_t count,
                            const struct stack_bounds_thread *thread,
                            struct stack_bounds *ret_bounds);

#endif
