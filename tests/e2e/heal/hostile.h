/* A process that makes it hard to be healed: what its actors have in common. */
#ifndef THPFIX_TESTS_E2E_HEAL_HOSTILE_H
#define THPFIX_TESTS_E2E_HEAL_HOSTILE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct actor {
    const char *name;
    void (*step)(struct actor *); /* again and again; must not take longer than a second */
    atomic_ulong steps;
    unsigned number;
    uint64_t seed;
    pthread_t thread;
};

/* What does not come true ends the process with status 1. */
void must(bool condition, const char *actor, const char *what);

/* May the calls of which signal(7) says so return EINTR when a thread is merely stopped? So it
 * is when the healer is killed after it stopped a thread, and before it saw where. */
extern bool stops_may_show;

/* A number from the actor's own sequence. */
uint64_t next_random(struct actor *actor);

/* Signals: one with SA_RESTART, one without, one on an alternate stack. All are blocked but
 * where an actor wants them. */
#define SIGNAL_RESTART SIGUSR2
#define SIGNAL_PLAIN   SIGUSR1
#define SIGNAL_STACK   SIGURG
#define SIGNAL_TIMER   SIGALRM
void unblock(int signal);

void step_deep(struct actor *);      /* recursion, every frame checked on the way back */
void step_canary(struct actor *);    /* a large area above the stack pointer, unmoved */
void step_red_zone(struct actor *);  /* 128 bytes below it */
void step_registers(struct actor *); /* all of them, and the flags */

void step_nanosleep(struct actor *);
void step_poll(struct actor *);
void step_epoll(struct actor *);
void step_semaphore(struct actor *);
void step_condition(struct actor *);
void step_sigwait(struct actor *);
void step_socket(struct actor *);

void step_interrupted(struct actor *); /* a read that a signal must interrupt */
void step_restarted(struct actor *);   /* a read that a signal must not interrupt */
void step_alternate(struct actor *);   /* handlers on a stack that lies in the thread's own */
void step_timer(struct actor *);
void step_coroutines(struct actor *);       /* on stacks elsewhere */
void step_inner_coroutines(struct actor *); /* on a stack that lies in the thread's own */
void step_churn(struct actor *);            /* threads that begin and end */
void install_handlers(void);

#endif
