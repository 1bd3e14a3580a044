/* Where glibc's descriptor of a thread keeps the bounds of its stack.
 *
 * That place differs between versions and is stated nowhere: it is looked for, and believed
 * only if exactly one fits all descriptors looked at.
 */
#ifndef THPFIX_DETECT_PROCESS_BOUNDS_H
#define THPFIX_DETECT_PROCESS_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What glibc tells debuggers (its symbols _thread_db_*). 64-bit processes only. */
struct glibc_layout {
    uint64_t own_list, callers_list; /* addresses of the list heads; 0: none */
    uint32_t list_offset, tid_offset, descriptor_bytes;
};
#define DESCRIPTOR_BYTES_MAX ((uint32_t)8192)

/* Base, size and guard at words[0…]: could they be the stack of this descriptor? Pure. */
#define DESCRIPTOR_BOUND_WORDS 4
bool process_bounds_fit(const uint64_t words[DESCRIPTOR_BOUND_WORDS], uint64_t descriptor,
                        uint64_t *ret_guard_bytes);

/* The offset of those words in every descriptor; -1: not found. A descriptor may have
 * DESCRIPTOR_BYTES_MAX, and its list lies within. */
ptrdiff_t process_bounds_find(pid_t pid, const struct glibc_layout *layout);

#endif
