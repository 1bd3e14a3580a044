/* The memory of a process by what it is for.
 *
 * What the kernel names is told by its name. malloc arenas are told by their first
 * words, which must be a heap of glibc's; thread stacks by process_stacks.h. What is
 * left of the anonymous memory is just that: a JVM's heap, other allocators' memory.
 */
#ifndef THPFIX_DETECT_PROCESS_KINDS_H
#define THPFIX_DETECT_PROCESS_KINDS_H

#include "detect/smaps_parse.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* X(name, word for machines, words for people) */
#define MEMORY_KINDS(X)                                                                            \
    X(THREAD_STACKS, "thread_stacks", "thread stacks")                                             \
    X(MAIN_STACK, "main_stack", "stack of the first thread")                                       \
    X(ARENAS, "malloc_arenas", "malloc arenas of threads")                                         \
    X(MAIN_HEAP, "main_heap", "main heap")                                                         \
    X(ANONYMOUS, "other_anonymous", "other anonymous (JVM heap, ...)")                             \
    X(SHARED, "shared_memory", "shared memory")                                                    \
    X(FILES, "files", "files")                                                                     \
    X(KERNEL, "kernel", "the kernel's own (vdso, vvar)")

enum memory_kind {
#define MEMORY_KIND_ENUM(name, word, words) MEMORY_##name,
    MEMORY_KINDS(MEMORY_KIND_ENUM)
#undef MEMORY_KIND_ENUM
};
#define MEMORY_KIND_COUNT ((size_t)MEMORY_KERNEL + 1)

struct memory_sum {
    uint64_t mappings, size_bytes, rss_bytes, huge_bytes, swap_bytes;
};

/* A private anonymous mapping: only those can hold a stack. */
struct memory_map {
    uint64_t start, end, rss_bytes, huge_bytes, swap_bytes;
    unsigned kind : 8; /* enum memory_kind */
    bool readable : 1, writable : 1;
    bool exempt : 1;       /* nh */
    bool exempt_known : 1; /* VmFlags is there */
};

struct process_maps {
    struct memory_map *maps; /* ascending */
    size_t count, room;
    struct memory_sum kinds[MEMORY_KIND_COUNT]; /* of everything, stacks still ANONYMOUS */
    struct memory_sum total;
};

/* The kind of a mapping, by its name and flags alone. Pure. */
enum memory_kind memory_kind_of(const struct smaps_mapping *mapping);

/* Adds a mapping (a smaps_callback; context is a zeroed struct process_maps, to be freed).
 * 0 or -ENOMEM. */
int process_maps_add(const struct smaps_mapping *mapping, void *context);
void process_maps_free(struct process_maps *maps);

/* Gives the mapping and its sums another kind. */
void process_maps_set_kind(struct process_maps *maps, struct memory_map *map,
                           enum memory_kind kind);

/* The first mapping that ends above the address: the one that holds it, if any does.
 * The count where there is none. Pure. */
size_t process_maps_at(const struct process_maps *maps, uint64_t address);

#endif
