#include "shim/counters.h"
#include "shim/gate.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WAITERS UINT32_C(0x80000000)

/* Only what a test is about may let a waiter through; a test that hangs fails. */
static const struct gate_rules only_reentry = {.reentry = true, .limit_ns = UINT64_MAX};

TestSuite(gate, .timeout = 60);

struct visitor {
    pthread_t thread;
    struct gate *gate;
    const struct gate_rules *rules;
    sem_t may_leave;
    uint32_t ticket;
    bool entered;
    int error;
};

static void *visit(void *argument)
{
    struct visitor *const self = argument;
    errno = EDOM;
    self->ticket = gate_enter_by(self->gate, self->rules);
    self->error = errno;
    __atomic_store_n(&self->entered, true, __ATOMIC_RELEASE);
    while (sem_wait(&self->may_leave) != 0) {
    }
    gate_leave_by(self->gate, self->ticket);
    return NULL;
}

static void visitor_start(struct visitor *visitor, struct gate *gate,
                          const struct gate_rules *rules)
{
    *visitor = (struct visitor){.gate = gate, .rules = rules};
    cr_assert_eq(sem_init(&visitor->may_leave, 0, 0), 0);
    cr_assert_eq(pthread_create(&visitor->thread, NULL, visit, visitor), 0);
}

static bool visitor_is_inside(struct visitor *visitor)
{
    return __atomic_load_n(&visitor->entered, __ATOMIC_ACQUIRE);
}

static void visitor_await_entry(struct visitor *visitor)
{
    while (!visitor_is_inside(visitor)) {
        sched_yield();
    }
}

static void visitor_end(struct visitor *visitor)
{
    sem_post(&visitor->may_leave);
    cr_assert_eq(pthread_join(visitor->thread, NULL), 0);
}

static void ignore(int signal)
{
    (void)signal;
}

static void interrupt(struct visitor *visitor)
{
    const struct sigaction action = {.sa_handler = ignore}; /* no SA_RESTART */
    cr_assert_eq(sigaction(SIGUSR1, &action, NULL), 0);
    cr_assert_eq(pthread_kill(visitor->thread, SIGUSR1), 0);
    usleep(1000);
}

static void await_waiter(struct gate *gate)
{
    while (!(__atomic_load_n(&gate->word, __ATOMIC_RELAXED) & WAITERS)) {
        sched_yield();
    }
}

Test(gate, the_ticket_names_the_holder_and_leaving_opens)
{
    struct gate gate = {0};
    const uint32_t ticket = gate_enter_by(&gate, &only_reentry);
    cr_assert_eq(ticket, (uint32_t)syscall(SYS_gettid));
    cr_assert_eq(gate.word, ticket);
    gate_leave_by(&gate, ticket);
    cr_assert_eq(gate.word, 0);
    cr_assert_eq(gate.crowd, 0);
    cr_assert_eq(COUNTER_GET(gate_passes), 1);
    cr_assert_eq(COUNTER_GET(gate_contended), 0);
}

Test(gate, the_holder_comes_back_in_without_opening_it_on_the_way_out)
{
    struct gate gate = {0};
    const uint32_t outer = gate_enter_by(&gate, &only_reentry);
    const uint32_t inner = gate_enter_by(&gate, &only_reentry);
    cr_assert_eq(inner, 0);
    gate_leave_by(&gate, inner);
    cr_assert_eq(gate.word, outer);
    gate_leave_by(&gate, outer);
    cr_assert_eq(gate.word, 0);
    cr_assert_eq(COUNTER_GET(gate_reentries), 1);
}

Test(gate, a_waiter_comes_in_when_the_holder_leaves_and_not_before)
{
    struct gate gate = {0};
    struct visitor waiter;
    const uint32_t ticket = gate_enter_by(&gate, &only_reentry);
    visitor_start(&waiter, &gate, &only_reentry);
    await_waiter(&gate);
    for (int i = 0; i < 20; i++) {
        interrupt(&waiter);
    }
    cr_assert(!visitor_is_inside(&waiter));
    gate_leave_by(&gate, ticket);
    visitor_await_entry(&waiter);
    cr_assert_neq(waiter.ticket, 0);
    cr_assert_eq(waiter.error, EDOM, "errno was changed");
    visitor_end(&waiter);
    cr_assert_eq(gate.word, 0);
    cr_assert_eq(COUNTER_GET(gate_contended), 1);
    cr_assert_gt(COUNTER_GET(gate_wait_ns), 0);
    cr_assert_eq(COUNTER_GET(gate_wait_ns), COUNTER_GET(gate_longest_wait_ns));
}

Test(gate, signals_do_not_prolong_the_wait)
{
    static const struct gate_rules limited = {.limit_ns = 100 * 1000000};
    struct gate gate = {0};
    struct visitor waiter;
    const uint32_t ticket = gate_enter_by(&gate, &only_reentry);
    visitor_start(&waiter, &gate, &limited);
    /* For ever, if each began the wait anew. */
    while (!visitor_is_inside(&waiter)) {
        interrupt(&waiter);
    }
    gate_leave_by(&gate, ticket);
    visitor_end(&waiter);
}

Test(gate, after_the_limit_a_waiter_has_the_gate_and_the_old_holder_cannot_open_it)
{
    static const struct gate_rules limited = {.limit_ns = 30 * 1000000};
    struct gate gate = {0};
    struct visitor waiter;
    const uint32_t ticket = gate_enter_by(&gate, &only_reentry);
    visitor_start(&waiter, &gate, &limited);
    visitor_await_entry(&waiter);
    cr_assert_neq(waiter.ticket, 0);
    cr_assert_eq(gate.word & ~WAITERS, waiter.ticket);
    gate_leave_by(&gate, ticket);
    cr_assert_eq(gate.word & ~WAITERS, waiter.ticket);
    visitor_end(&waiter);
    cr_assert_eq(gate.word, 0);
    cr_assert_eq(COUNTER_GET(gate_timeouts), 1);
}

Test(gate, the_limit_is_for_one_holder_not_for_the_whole_wait)
{
    static const struct gate_rules limited = {.limit_ns = 1000000000};
    struct gate gate = {0};
    struct visitor waiter;
    const uint32_t ticket = gate_enter_by(&gate, &only_reentry);
    visitor_start(&waiter, &gate, &limited);
    await_waiter(&gate);
    /* As if many passed in turn: two and a half limits. */
    for (int i = 0; i < 250; i++) {
        __atomic_fetch_add(&gate.tenancy, 1, __ATOMIC_RELAXED);
        usleep(10000);
    }
    cr_assert(!visitor_is_inside(&waiter));
    gate_leave_by(&gate, ticket);
    visitor_end(&waiter);
    cr_assert_eq(COUNTER_GET(gate_timeouts), 0);
}

static void *enter_and_die(void *argument)
{
    cr_assert_neq(gate_enter_by(argument, &only_reentry), 0);
    return NULL;
}

Test(gate, a_holder_that_died_inside_keeps_it_for_one_limit)
{
    static const struct gate_rules limited = {.limit_ns = 30 * 1000000};
    struct gate gate = {0};
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, enter_and_die, &gate), 0);
    cr_assert_eq(pthread_join(thread, NULL), 0);
    for (int i = 0; i < 10; i++) {
        const uint32_t ticket = gate_enter_by(&gate, &limited);
        cr_assert_neq(ticket, 0);
        gate_leave_by(&gate, ticket);
    }
    cr_assert_eq(COUNTER_GET(gate_timeouts), 1);
}

Test(gate, below_the_crowd_it_stands_open)
{
    static const struct gate_rules crowded = {.reentry = true, .crowd = 2, .limit_ns = UINT64_MAX};
    struct gate gate = {0};
    cr_assert_eq(gate_enter_by(&gate, &crowded), 0);
    cr_assert_eq(gate_enter_by(&gate, &crowded), 0);
    cr_assert_eq(gate.word, 0);
    const uint32_t third = gate_enter_by(&gate, &crowded);
    cr_assert_neq(third, 0);
    cr_assert_eq(gate.word, third);
    gate_leave_by(&gate, third);
    gate_leave_by(&gate, 0);
    gate_leave_by(&gate, 0);
    cr_assert_eq(gate.crowd, 0);
}

#define RACERS       8
#define RACER_PASSES 20000

static struct gate race_gate;
static unsigned long unprotected; /* but for the gate */

static void *race(void *argument)
{
    for (int i = 0; i < RACER_PASSES; i++) {
        const uint32_t ticket = gate_enter_by(&race_gate, &only_reentry);
        unprotected++;
        gate_leave_by(&race_gate, ticket);
    }
    return argument;
}

Test(gate, one_at_a_time_and_no_wake_up_is_lost)
{
    pthread_t threads[RACERS];
    for (int i = 0; i < RACERS; i++) {
        cr_assert_eq(pthread_create(&threads[i], NULL, race, NULL), 0);
    }
    for (int i = 0; i < RACERS; i++) {
        cr_assert_eq(pthread_join(threads[i], NULL), 0);
    }
    cr_assert_eq(unprotected, (unsigned long)RACERS * RACER_PASSES);
    cr_assert_eq(COUNTER_GET(gate_passes), RACERS * RACER_PASSES);
    cr_assert_eq(race_gate.word, 0);
    cr_assert_eq(race_gate.crowd, 0);
}
