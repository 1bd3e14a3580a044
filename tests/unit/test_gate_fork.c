/* The gate in forked children. A child that has to wait would wait for ever: the holder
 * exists in its parent only. */
#include "shim/counters.h"
#include "shim/gate.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILD_SECONDS 60 /* until a child is taken for stuck */

TestSuite(gate_fork, .timeout = 100);

static struct gate plain_gates[GATE_COUNT];

static const struct gate_rules for_ever = {.limit_ns = UINT64_MAX};
static const struct gate_rules checking = {.check_holder = true, .limit_ns = UINT64_MAX};

static struct {
    struct gate *gate;
    sem_t inside, may_leave;
} holder;

static void *hold(void *argument)
{
    const uint32_t ticket = gate_enter_by(holder.gate, &for_ever);
    sem_post(&holder.inside);
    sem_wait(&holder.may_leave);
    gate_leave_by(holder.gate, ticket);
    return argument;
}

static pthread_t start_holder(struct gate *gate)
{
    pthread_t thread;
    holder.gate = gate;
    cr_assert_eq(sem_init(&holder.inside, 0, 0), 0);
    cr_assert_eq(sem_init(&holder.may_leave, 0, 0), 0);
    cr_assert_eq(pthread_create(&thread, NULL, hold, NULL), 0);
    cr_assert_eq(sem_wait(&holder.inside), 0);
    return thread;
}

static void end_holder(pthread_t thread)
{
    sem_post(&holder.may_leave);
    cr_assert_eq(pthread_join(thread, NULL), 0);
}

/* 0: the child passed, twice. */
static int pass_in_child(struct gate *gate, const struct gate_rules *rules)
{
    const pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        alarm(CHILD_SECONDS);
        for (int i = 0; i < 2; i++) {
            const uint32_t ticket = gate_enter_by(gate, rules);
            if (ticket != (uint32_t)syscall(SYS_gettid)) {
                _exit(1);
            }
            gate_leave_by(gate, ticket);
        }
        _exit(gate->word == 0 ? 0 : 2);
    }
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    return status;
}

Test(gate_fork, wiped_memory_opens_the_childs_gate_and_leaves_the_parents_closed)
{
    struct gate *const gates = gate_wiped_memory();
    if (gates == NULL) {
        cr_skip("the kernel has no MADV_WIPEONFORK");
    }
    const pthread_t thread = start_holder(&gates[GATE_NATIVE]);
    cr_assert_eq(pass_in_child(&gates[GATE_NATIVE], &for_ever), 0);
    cr_assert_neq(gates[GATE_NATIVE].word, 0);
    end_holder(thread);
    gate_free_memory(gates);
}

Test(gate_fork, in_plain_memory_the_child_finds_that_the_holder_does_not_exist)
{
    const pthread_t thread = start_holder(&plain_gates[0]);
    cr_assert_eq(pass_in_child(&plain_gates[0], &checking), 0);
    end_holder(thread);
}

Test(gate_fork, a_live_holder_in_plain_memory_keeps_its_gate)
{
    struct gate *const gate = &plain_gates[0];
    const struct gate_rules impatient = {.check_holder = true, .limit_ns = 30 * 1000000};
    const pthread_t thread = start_holder(gate);
    const uint32_t ticket = gate_enter_by(gate, &impatient);
    cr_assert_eq(COUNTER_GET(gate_timeouts), 1, "the gate was taken before the limit");
    gate_leave_by(gate, ticket);
    end_holder(thread);
}

Test(gate_fork, a_child_forked_inside_does_not_open_what_another_thread_holds)
{
    struct gate *const gates = gate_wiped_memory();
    if (gates == NULL) {
        cr_skip("the kernel has no MADV_WIPEONFORK");
    }
    const uint32_t ticket = gate_enter_by(&gates[0], &for_ever);
    const pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        const pthread_t thread = start_holder(&gates[0]);
        gate_leave_by(&gates[0], ticket);
        const bool kept = gates[0].word != 0;
        end_holder(thread);
        _exit(kept ? 0 : 1);
    }
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0);
    cr_assert_eq(gates[0].word, ticket);
    gate_leave_by(&gates[0], ticket);
    cr_assert_eq(gates[0].word, 0);
    gate_free_memory(gates);
}
