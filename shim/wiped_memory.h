/* Memory that reads as zero in a forked child (MADV_WIPEONFORK, Linux 4.14).
 *
 * For what threads hold that a child does not have: there it is free again, without an
 * atfork handler. System calls are made directly, errno stays untouched; any thread.
 */
#ifndef THPFIX_SHIM_WIPED_MEMORY_H
#define THPFIX_SHIM_WIPED_MEMORY_H

#include <stddef.h>

/* Zeroed, whole pages; NULL where the kernel cannot do that, or there is no memory. */
void *wiped_memory_map(size_t bytes);
void wiped_memory_unmap(void *memory, size_t bytes);

#endif
