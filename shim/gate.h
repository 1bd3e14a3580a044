/* The start gates: each lets one thread start through at a time.
 *
 * The native one does so only in a crowd: on 2 CPUs, 8 to 64 threads that create threads are
 * up to 40 % faster without a gate, and 200 are 10 to 40 % faster with one, with a longest
 * pthread_create 2 to 6 times shorter (scripts/bench-gate).
 *
 * A futex lock that does no harm where it stands. The thread that holds a gate may come
 * back in (a malloc replacement that creates a thread from inside malloc). A child
 * forked while another thread held it finds it open. A holder that does not come out
 * within the limit, because it was cancelled or is stuck, loses the gate to a waiter:
 * one goes through, not all, since a holder may just be standing at a long safepoint.
 *
 * No allocation, no TLS, no cancellation point, errno untouched. Any thread, after
 * fork; in a signal handler too, where it is re-entry or one more wait. Not fair: a
 * running thread may overtake waiters. No priority inheritance: a real-time thread
 * waits for an ordinary one as long as the limit lets it.
 */
#ifndef THPFIX_SHIM_GATE_H
#define THPFIX_SHIM_GATE_H

#include <stdbool.h>
#include <stdint.h>

/* Two, because a JVM may create a thread of its own (a garbage collector's) in a
 * safepoint, while the holder of the JVM's gate waits for that safepoint to end.
 * Order: JVM before native. */
enum gate_id {
    GATE_JVM,    /* around JVM_StartThread */
    GATE_NATIVE, /* around pthread_create */
    GATE_COUNT,
};

#define GATE_LIMIT_NS             UINT64_C(1000000000)
#define GATE_NATIVE_CROWD_PER_CPU 32 /* of those the process may run on */

/* Waits for the gate. Returns a ticket for gate_leave, which has to follow; 0 where the
 * caller goes through without holding: there is no crowd, or it holds the gate already,
 * or the kernel refuses to let it wait. */
uint32_t gate_enter(enum gate_id id);

/* Leaves alone what is not the caller's: in a child forked inside, and after the gate
 * was lost to a waiter. */
void gate_leave(enum gate_id id, uint32_t ticket);

/* What the above are made of, for tests that take one rule away at a time. */
struct gate {
    /* A cache line for each: they are taken one inside the other. */
    _Alignas(64) uint32_t word; /* the holder's thread id; the top bit: someone may be waiting */
    uint32_t tenancy; /* goes up with every pass: tells one stay of a thread from the next */
    int32_t crowd;    /* threads that entered and did not leave. Only a hint: one too many for
                         each thread that died inside, one too few after a fork inside: there one
                         more goes through beside the holder, for good */
};

struct gate_rules {
    bool reentry;      /* the holder may come back in */
    bool check_holder; /* take the gate from a holder that does not exist in this process */
    int32_t crowd;     /* so many may be inside before the gate closes at all */
    uint64_t limit_ns; /* how long one holder may stay; UINT64_MAX: for ever */
};

uint32_t gate_enter_by(struct gate *gate, const struct gate_rules *rules);
void gate_leave_by(struct gate *gate, uint32_t ticket);

/* Memory for the gates that reads as zero in a forked child; NULL where the kernel
 * cannot do that (before Linux 4.14) or there is none. */
struct gate *gate_wiped_memory(void);
void gate_free_memory(struct gate *gates);

#endif
