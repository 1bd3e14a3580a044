/* Memory of our own for what is found out: large, and written soon, all of it.
 *
 * A page of it that comes by a fault takes as long as reading some mappings of another process,
 * and on a virtual machine without nested page tables as long as fifty. Ahead and in one step it
 * takes a tenth of that. Any thread.
 */
#ifndef THPFIX_DETECT_OWN_MEMORY_H
#define THPFIX_DETECT_OWN_MEMORY_H

#include <stddef.h>

/* Makes the whole pages in it resident, contents as they were, where that is worth a system call
 * and the kernel can (Linux 5.14); otherwise they come by faults. errno as it was. */
void own_memory_ahead(void *start, size_t bytes);

/* calloc, ahead. */
void *own_memory_zeros(size_t count, size_t size);

/* Makes room for more in an array of *room entries of that size: twice as many, and at first
 * `first`. NULL, and all as before, where there is no memory. To be freed. */
void *own_memory_grow(void *array, size_t *room, size_t first, size_t size);

#endif
