/* The call stack of the calling thread, by libunwind.
 *
 * Only through frames that have unwind information: for others (of a JIT) libunwind would
 * guess. Such a frame is the last.
 */
#ifndef THPFIX_SHIM_SITES_WALK_H
#define THPFIX_SHIM_SITES_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Stack that a walk may take, with a margin: it takes 6 KiB with libunwind 1.6. */
#define WALK_STACK_BYTES ((size_t)32 * 1024)

/* Has libunwind make its tables now rather than at the first walk. */
void walk_prepare(void);

/* stack_end: of the calling thread's stack. Fills ret_frames with up to room return addresses, from
 * caller outwards (all, where caller is not among them), and returns how many; *ret_cut: there were
 * more. Takes locks of libunwind's and the loader's: one thread at a time, and not in a forked
 * child that may have got them locked. No malloc. */
size_t walk_stack(const void *caller, uintptr_t stack_end, uint64_t *ret_frames, size_t room,
                  bool *ret_cut);

#endif
