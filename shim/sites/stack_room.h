/* Is there room on the stack to look at it? */
#ifndef THPFIX_SHIM_SITES_STACK_ROOM_H
#define THPFIX_SHIM_SITES_STACK_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Once, before the other is called. */
void stack_room_start(void);

/* Are there that many bytes below the caller's frame? *ret_end: where the stack ends above it.
 * false also where it cannot be told: on a signal's stack, or a coroutine's. No
 * allocation, no lock. Any thread. */
bool stack_room_has(size_t bytes, uintptr_t *ret_end);

#endif
