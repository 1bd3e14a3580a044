/* Stacks made in a row lie one below the other, so their tops walk down by size and guard, and
 * now and then one comes to lie on a THP boundary and is huge at its first touch. The new thread
 * gives that memory back, but the kernel had to clear 2 MiB first, which takes as long as dozens
 * of thread starts. plan.h makes the walk go in strides that meet boundaries always or
 * never; here a new thread says that one was met, and one creation takes a step aside.
 *
 * Any thread, at any time; nothing here waits.
 */
#ifndef THPFIX_SHIM_TOP_WALK_H
#define THPFIX_SHIM_TOP_WALK_H

#include <stdbool.h>

void top_walk_note_boundary(void);

/* Is a step due? At most once for each call of the above. */
bool top_walk_take_step(void);

#endif
