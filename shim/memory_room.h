/* How much more memory may this process take, before a limit or the machine's end?
 *
 * The least of what MemAvailable and each memory cgroup that the process is in leaves, a
 * sixteenth of each limit kept back for others. Pages of files that the kernel can drop
 * at once count as free. Both versions of cgroups, where distributions mount them.
 * No allocation, no lock, no cancellation point, errno untouched: any thread, after
 * fork. Needs some 6 KiB of stack.
 */
#ifndef THPFIX_SHIM_MEMORY_ROOM_H
#define THPFIX_SHIM_MEMORY_ROOM_H

#include <stdbool.h>
#include <stddef.h>

/* false, with *ret_bytes untouched, where nothing at all could be read. */
bool memory_room(int root, size_t *ret_bytes);

#endif
