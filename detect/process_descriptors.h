/* The threads of a process as its glibc knows them: it keeps a descriptor of each in two
 * lists, of the stacks it made itself and of those that callers supplied. A descriptor names
 * its thread, so nothing has to be guessed.
 */
#ifndef THPFIX_DETECT_PROCESS_DESCRIPTORS_H
#define THPFIX_DETECT_PROCESS_DESCRIPTORS_H

#include "detect/process_bounds.h"
#include "detect/process_fetch.h"

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

/* The same while the mappings are being told, which takes much longer. */
#define WALK_LISTS 2
struct process_walk {
    pid_t pid;
    struct glibc_layout layout;
    const struct process_maps *maps;
    ptrdiff_t bounds_offset; /* -1: not found */
    uint32_t from, to;       /* what is read of each descriptor */
    unsigned list;           /* on the way in this one, WALK_LISTS at the end */
    uint64_t head, before, node;
    size_t hops;
    int result;
    struct glibc_threads threads;
    struct process_fetch fetch;
};

/* 0, or -EINVAL; on success to be ended. */
int process_walk_begin(pid_t pid, const struct glibc_layout *layout,
                       const struct process_maps *maps, struct process_walk *ret_walk);
/* As far as the mappings are told. */
void process_walk_on(struct process_walk *walk);
/* All are told: as process_walk_descriptors. */
int process_walk_end(struct process_walk *walk, struct glibc_threads *ret_threads);

#endif
