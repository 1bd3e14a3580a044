/* The creation sites of threads as they lie in memory.
 *
 * Shared by libthpfix-sites.so, which writes them, and the command, which reads them
 * from outside, beginning with the exported object thpfix_sites. An interface between
 * two files of possibly different age: append only, and raise SITES_VERSION when the
 * meaning of a field changes. Native byte order; may be read at any time.
 */
#ifndef THPFIX_DETECT_SITES_ABI_H
#define THPFIX_DETECT_SITES_ABI_H

#include <stdint.h>

#define SITES_MAGIC      UINT64_C(0x7365746973667074) /* "tpfsites" */
#define SITES_VERSION    1
#define SITES_SYMBOL     "thpfix_sites"
#define SITES_FRAMES_MAX 24

/* One call stack. Complete, but for the numbers, before it is among site_count. */
struct sites_site {
    uint64_t created;           /* threads */
    uint64_t callers_stacks;    /* of those, on a stack that the program supplied */
    uint64_t default_sizes;     /* of those, without attributes: size and guard are glibc's */
    uint64_t least_stack_bytes; /* as asked for, with attributes; least > most: never */
    uint64_t most_stack_bytes;
    uint64_t least_guard_bytes;
    uint64_t most_guard_bytes;
    uint32_t frame_count;
    uint32_t cut;                      /* 1: there were more frames */
    uint64_t frames[SITES_FRAMES_MAX]; /* return addresses, innermost first */
};

/* A thread that has started. An entry outlives its thread: what counts is that a living
 * thread has the id, and its stack the descriptor. */
struct sites_thread {
    uint64_t owner;  /* descriptor / 16 above the lower 16 bits; those: site + 1; 0: free */
    uint64_t thread; /* its id, as the process itself calls it */
};

/* X(field, help) */
#define SITES_COUNTERS(X)                                                                          \
    X(seen, "creations while sites were recorded")                                                 \
    X(short_of_stack, "creations by a thread with too little stack left to look at it")            \
    X(busy, "creations that would have had to wait too long for another one's look")               \
    X(no_room, "creations at a site beyond the number that is kept")                               \
    X(not_matched, "threads whose site is known, but not which of the threads they are")           \
    X(after_fork, "creations in a process forked from one with threads, which records none")

struct sites {
    uint64_t magic;
    uint32_t version;
    uint32_t size_bytes; /* of this struct: fields beyond it do not exist */
    uint32_t site_bytes, thread_bytes;
    uint64_t sites, threads; /* addresses */
    uint64_t thread_room;
    uint64_t site_count;
    uint64_t pid; /* of the process that recorded, as it calls itself: not a forked child's */
#define SITES_COUNTER_FIELD(field, help) uint64_t field;
    SITES_COUNTERS(SITES_COUNTER_FIELD)
#undef SITES_COUNTER_FIELD
};

_Static_assert(sizeof(struct sites_site) == 64 + 8 * SITES_FRAMES_MAX, "sites layout");
_Static_assert(sizeof(struct sites_thread) == 16, "sites layout");
_Static_assert(__builtin_offsetof(struct sites, sites) == 24, "sites layout");
_Static_assert(__builtin_offsetof(struct sites, seen) == 64, "sites layout");

#endif
