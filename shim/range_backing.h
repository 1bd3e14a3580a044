/* Is a range of addresses memory, and nothing but memory? */
#ifndef THPFIX_SHIM_RANGE_BACKING_H
#define THPFIX_SHIM_RANGE_BACKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is every byte of the range mapped, and nothing of it by a file of a file system? Anonymous
 * and shared memory is memory, and so is a memfd. To populate a file would allocate its
 * holes and write all of it back. False also where /proc does not tell. Reads the list
 * of mappings down to the range: 25 ms for 60000 of them. Takes 6 KiB of stack. No
 * allocation, no lock, no cancellation point, errno untouched: any thread, after fork. */
bool range_is_memory(int root, uintptr_t start, size_t bytes);

#endif
