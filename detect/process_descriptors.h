/* The threads of a process as its glibc knows them: it keeps a descriptor of each in two
 * lists, of the stacks it made itself and of those that callers supplied.
 *
 * A descriptor names its thread, so nothing has to be guessed. Where it keeps the
 * bounds of the stack differs between versions and is stated nowhere: that place is
 * looked for, and believed only if exactly one fits all descriptors looked at.
 */
#ifndef THPFIX_DETECT_PROCESS_DESCRIPTORS_H
#define THPFIX_DETECT_PROCESS_DESCRIPTORS_H

#include "detect/process_kinds.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What glibc tells debuggers (its symbols _thread_db_*). 64-bit processes only. */
struct glibc_layout {
    uint64_t own_list, callers_list; /* addresses of the list heads; 0: none */
    uint32_t list_offset, tid_offset, descriptor_bytes;
};

struct glibc_thread {
    pid_t tid; /* as the process itself calls it */
    uint64_t descriptor;
    uint64_t base, end; /* of the stack, guard included; both 0: not told */
    uint64_t guard_bytes;
    bool callers_stack;
};

struct glibc_threads {
    struct glibc_thread *threads; /* ascending by tid */
    size_t count, room;
    bool complete; /* false: the lists changed while they were read */
};

/* maps: to read many at once where stacks are alike (process_fetch.h); NULL: one by one.
 * 0 or -errno of the first read; on success to be freed. */
int process_walk_descriptors(pid_t pid, const struct glibc_layout *layout,
                             const struct process_maps *maps, struct glibc_threads *ret_threads);
void process_free_descriptors(struct glibc_threads *threads);

/* Base, size and guard at words[0…]: could they be the stack of this descriptor? Pure. */
#define DESCRIPTOR_BOUND_WORDS 4
bool process_bounds_fit(const uint64_t words[DESCRIPTOR_BOUND_WORDS], uint64_t descriptor,
                        uint64_t *ret_guard_bytes);

#endif
