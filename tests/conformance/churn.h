/* churn: threads and processes that come and go in every way, as fast as they can.
 *
 * Workers pick acts at random for a round; between rounds the process is alone with its
 * first thread, and must look as it did between earlier rounds. A parent watches that
 * it goes on at all.
 */
#ifndef THPFIX_TESTS_CHURN_H
#define THPFIX_TESTS_CHURN_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* X(name, share of all acts in percent) */
#define CHURN_ACTS(X)                                                                              \
    X(join, 22)                                                                                    \
    X(batch, 12)                                                                                   \
    X(detach, 12)                                                                                  \
    X(thread_exit, 10)                                                                             \
    X(cancel_deferred, 8)                                                                          \
    X(cancel_at_once, 8)                                                                           \
    X(nested, 7)                                                                                   \
    X(callers_stack, 6)                                                                            \
    X(too_large, 4)                                                                                \
    X(fork_middle, 4)                                                                              \
    X(exec_child, 2)                                                                               \
    X(address_space, 2)                                                                            \
    X(process_limit, 1)                                                                            \
    X(killed_by_limit, 1)                                                                          \
    X(killed, 1)

enum churn_act {
#define CHURN_ACT_ENUM(name, share) CHURN_##name,
    CHURN_ACTS(CHURN_ACT_ENUM)
#undef CHURN_ACT_ENUM
        CHURN_ACT_COUNT,
};

enum { CHURN_WORKERS = 4 };

/* Shared by the churning process and the one that watches it. */
struct churn_progress {
    atomic_ulong done[CHURN_ACT_COUNT];
    atomic_int doing[CHURN_WORKERS]; /* enum churn_act */
    atomic_ulong created;            /* threads, forked children's not counted */
};
extern struct churn_progress *churn_progress;

/* An act; random is the worker's own. Ends the process where an outcome is wrong. */
#define CHURN_ACT_DECLARE(name, share) void churn_##name(uint64_t *random);
CHURN_ACTS(CHURN_ACT_DECLARE)
#undef CHURN_ACT_DECLARE

uint64_t churn_random(uint64_t *random, uint64_t below);

/* A thread of random size and guard that uses some of its stack, created and joined;
 * 0 or what pthread_create returned. */
int churn_one_thread(uint64_t *random);

/* What the process looks like between rounds. */
struct churn_sample {
    size_t map_entries, rss_kib, size_kib, threads, pool_empty;
};
struct churn_sample churn_sample_take(void);

/* Gives back what glibc keeps for later: stacks, and malloc's free memory. */
void churn_empty_caches(void);

/* Were the last samples as those before, from the second quarter on? Says so where not. */
int churn_samples_flat(const struct churn_sample *samples, size_t count);

#endif
