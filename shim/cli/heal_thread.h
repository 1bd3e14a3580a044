/* One thread: stopped, made to free what its stack has too much, let go. */
#ifndef THPFIX_SHIM_CLI_HEAL_THREAD_H
#define THPFIX_SHIM_CLI_HEAL_THREAD_H

#include "detect/process_pages.h"
#include "shim/cli/heal_plan.h"
#include "shim/cli/heal_settle.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* X(name, words for people) */
#define HEAL_STATES(X)                                                                             \
    X(PENDING, "not reached")                                                                      \
    X(DONE, "healed")                                                                              \
    X(ELSEWHERE, "on another stack: a signal's, a coroutine's")                                    \
    X(OWN_MASK, "waiting with a signal mask of its own (ppoll, sigsuspend, ...)")                  \
    X(BUSY, "could not be stopped at a good moment")                                               \
    X(NO_ROOM, "stack nearly full")                                                                \
    X(CONFINED, "confined by seccomp")                                                             \
    X(ENDED, "ended meanwhile")

enum heal_state {
#define HEAL_STATE_ENUM(name, words) HEAL_##name,
    HEAL_STATES(HEAL_STATE_ENUM)
#undef HEAL_STATE_ENUM
};
#define HEAL_STATE_COUNT ((size_t)HEAL_ENDED + 1)

struct heal_thread {
    pid_t tid;
    struct heal_stack stack;
    uint64_t next; /* where to go on, when one stop was not enough */
    enum heal_state state;
    bool seized; /* ours, and not stopped: it is let go when it stops */
};

struct heal_process {
    pid_t pid, memory_tid;
    struct process_pages pages;
    uint64_t code; /* where heal_code lies; 0: not yet written, then at code_room */
    uint64_t code_room;
    uint64_t stop_ns; /* the longest that a thread may be stopped */
    int split_fd;     /* for heal_split, or negative: each thread splits for itself */
    struct heal_handlers handlers;
};

struct heal_tally {
    uint64_t freed_bytes, stops, longest_ns, total_ns;
    uint64_t failed_calls;
    int call_error; /* of the last of those */
};

/* Sets the state. 0, or -EPERM: not permitted, or traced already. */
int heal_thread(struct heal_process *process, struct heal_thread *thread, struct heal_tally *tally);

/* Lets a thread go that was seized and has stopped since. true: there is none. */
bool heal_thread_let_go(struct heal_thread *thread, struct heal_tally *tally);

const char *heal_state_words(enum heal_state state);

#endif
