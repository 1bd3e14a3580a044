/* Stacks made in a row lie one below the other, so their tops walk down by size and guard, and
 * now and then one comes to lie on a THP boundary and is huge at its first touch. The new thread
 * gives that memory back, but the kernel had to clear 2 MiB first, which takes as long as dozens
 * of thread starts. plan.h makes the walk go in strides that meet boundaries always or
 * never; here a new thread says which, and one creation takes a step aside.
 *
 * Any thread, at any time; nothing here waits.
 */
#ifndef THPFIX_SHIM_TOP_WALK_H
#define THPFIX_SHIM_TOP_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A new thread has met a boundary. */
void top_walk_note_boundary(void);

/* A new thread whose stack continues a row: the mapping from base, guard included, to end, of
 * which it has touched what lies from live on. */
void top_walk_note_stack(uintptr_t base, uintptr_t live, uintptr_t end, size_t page_bytes);

/* Is a step due? Once for each boundary met, and once for each row that will meet one. */
bool top_walk_take_step(void);

#endif
