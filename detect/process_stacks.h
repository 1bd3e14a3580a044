/* The stacks of a process's threads: where each lies, what it takes, how much of that the
 * thread uses.
 *
 * Nothing is guessed. A stack is one that glibc's descriptor of the thread tells, or the
 * kernel's [stack]. Of other threads it is only told in which mapping they run. Where
 * neighbours share a mapping, its pages tell what belongs to whom; a number that cannot
 * be told is marked unknown.
 */
#ifndef THPFIX_DETECT_PROCESS_STACKS_H
#define THPFIX_DETECT_PROCESS_STACKS_H

#include "detect/process_descriptors.h"
#include "detect/process_kinds.h"
#include "detect/process_pages.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(name, word for machines and people) */
#define STACK_ORIGINS(X)                                                                           \
    X(UNTOLD, "unknown") /* base and end are those of the mapping it runs in, or 0 */              \
    X(GLIBC, "glibc")    /* made by glibc */                                                       \
    X(CALLER, "caller")  /* supplied by the program */                                             \
    X(KERNEL, "kernel")  /* of the first thread */

enum stack_origin {
#define STACK_ORIGIN_ENUM(name, word) STACK_##name,
    STACK_ORIGINS(STACK_ORIGIN_ENUM)
#undef STACK_ORIGIN_ENUM
};

enum stack_depth {
    DEPTH_NOT_ASKED,
    DEPTH_TOLD,
    DEPTH_RUNNING,   /* the kernel tells it of waiting threads only */
    DEPTH_ELSEWHERE, /* the thread is on another stack now: a signal's, a coroutine's */
    DEPTH_FAILED,    /* not permitted, or the thread has ended */
};

struct process_stack {
    pid_t tid;
    enum stack_origin origin;
    uint64_t base, end;   /* guard included */
    uint64_t guard_bytes; /* at the low end; glibc's and HotSpot's together */
    bool guarded_first;   /* glibc's own is there: from before the first touch */
    uint64_t rss_bytes, huge_bytes;
    bool rss_known, huge_known;
    bool merged;               /* shares a mapping with something else */
    bool exempt, exempt_known; /* nh on all of it that is writable */
    enum stack_depth depth;
    uint64_t pointer, used_bytes; /* with DEPTH_TOLD: used from there to the end */
    /* See process_stack_judge. Not known: the stack is suspect, but its depth is not told. */
    uint64_t back_bytes;
    bool back_known;
};

struct process_stacks {
    struct process_stack *stacks; /* one a thread, ascending by tid */
    size_t count;
};

/* Matches threads with their descriptors, and those with the mappings, whose kinds and
 * sums it sets. inner_ids: the tids as the process itself calls them, in the order of
 * tids; NULL where they are the same. pid: the first thread. pages may be NULL: then
 * what only it can tell is unknown. 0 or -ENOMEM; on success to be freed. */
int process_stacks_match(pid_t pid, const pid_t *tids, const pid_t *inner_ids, size_t count,
                         const struct glibc_threads *threads, struct process_maps *maps,
                         const struct process_pages *pages, size_t thp_bytes,
                         struct process_stacks *ret_stacks);
void process_stacks_free(struct process_stacks *stacks);

/* Enters a thread's stack pointer, as process_task_pointer gave it with result. */
void process_stack_set_pointer(struct process_stack *stack, int result, uint64_t pointer,
                               const struct process_maps *maps);

/* Could the stack hold memory that its thread does not use and that came with huge pages?
 * One that is exempt cannot, whatever depth its thread once had. If not, its depth need not be
 * asked for that. */
bool process_stack_suspect(const struct process_stack *stack, size_t thp_bytes);

/* How much would come back if the stack were freed of huge pages: what lies below the
 * stack pointer in blocks of the THP size that are resident throughout (but for the zones
 * that HotSpot takes out of a huge page afterwards). Nothing where the stack is not suspect. To be
 * called when the depth was asked. pages may be NULL. */
void process_stack_judge(struct process_stack *stack, const struct process_pages *pages,
                         size_t thp_bytes);

const char *process_stack_origin_word(enum stack_origin origin);

#endif
