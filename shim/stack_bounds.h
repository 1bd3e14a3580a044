/* Where the calling thread's glibc stack lies.
 *
 * glibc keeps base, size and guard of the stack in the thread descriptor, in three words
 * that follow each other in every version from 2.17 to 2.42, at an offset that differs.
 * pthread_getattr_np reads the same words, but allocates and takes a lock, which a
 * new thread must not do here: the first malloc on a thread makes an arena. So the
 * words are looked for once and believed only if they prove themselves for the
 * calling thread, each time: base below the stack pointer, end above the descriptor,
 * whole pages, guard within. Anything else is "not located".
 */
#ifndef THPFIX_SHIM_STACK_BOUNDS_H
#define THPFIX_SHIM_STACK_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stack_bounds {
    uintptr_t base; /* lowest byte of the mapping, guard included */
    uintptr_t end;  /* first byte above it */
    size_t guard_bytes;
};

/* For a thread that glibc put on a stack of its own making. false, with *ret_bounds
 * untouched, where the bounds could not be told. Any thread; async-signal-safe. */
bool stack_bounds_of_caller(size_t page_bytes, struct stack_bounds *ret_bounds);

/* The same over given words, for tests: looks for three words that fit a thread whose
 * descriptor is at `descriptor` and whose stack pointer is `stack_pointer`. Returns the index
 * of the first, or -1. Pure. */
ptrdiff_t stack_bounds_find(const uintptr_t *words, size_t count, uintptr_t descriptor,
                            uintptr_t stack_pointer, size_t page_bytes);

#endif
