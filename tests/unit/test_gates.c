/* The library's own two gates. */
#include "shim/counters.h"
#include "shim/gate.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILD_SECONDS 60 /* until a child is taken for stuck */
#define CROWD_MAX     100000

TestSuite(gates, .timeout = 100);

/* Enters the native gate until it is closed: the ticket of the first that holds it. */
static uint32_t close_native_gate(int *ret_crowd)
{
    uint32_t ticket = 0;
    int crowd = 0;
    while ((ticket = gate_enter(GATE_NATIVE)) == 0) {
        crowd++;
        cr_assert_lt(crowd, CROWD_MAX, "no crowd closes the native gate");
    }
    *ret_crowd = crowd;
    return ticket;
}

static void open_native_gate(uint32_t ticket, int crowd)
{
    gate_leave(GATE_NATIVE, ticket);
    for (int i = 0; i < crowd; i++) {
        gate_leave(GATE_NATIVE, 0);
    }
}

Test(gates, the_jvms_is_closed_by_one_and_the_native_one_by_a_crowd)
{
    int crowd = 0;
    const uint32_t jvm = gate_enter(GATE_JVM);
    cr_assert_neq(jvm, 0);
    const uint32_t native = close_native_gate(&crowd);
    cr_assert_geq(crowd, GATE_NATIVE_CROWD_PER_CPU);
    cr_assert_eq(crowd % GATE_NATIVE_CROWD_PER_CPU, 0);
    open_native_gate(native, crowd);
    cr_assert_eq(gate_enter(GATE_NATIVE), 0, "the crowd has left and the gate is closed");
    gate_leave(GATE_NATIVE, 0);
    gate_leave(GATE_JVM, jvm);
}

static void *pass_native_gate(void *argument)
{
    const uint32_t ticket = gate_enter(GATE_NATIVE);
    gate_leave(GATE_NATIVE, ticket);
    return ticket != 0 ? argument : NULL;
}

/* A garbage collector's thread, in a safepoint that the holder of the JVM's gate waits for. */
Test(gates, a_holder_of_the_jvms_does_not_close_the_native_one)
{
    int crowd = 0;
    pthread_t thread;
    void *held;
    const uint32_t native = close_native_gate(&crowd);
    gate_leave(GATE_NATIVE, native);
    const uint32_t jvm = gate_enter(GATE_JVM);
    cr_assert_eq(pthread_create(&thread, NULL, pass_native_gate, &crowd), 0);
    cr_assert_eq(pthread_join(thread, &held), 0);
    cr_assert_not_null(held);
    cr_assert_eq(COUNTER_GET(gate_timeouts), 0, "it waited for the limit");
    gate_leave(GATE_JVM, jvm);
}

Test(gates, both_are_open_in_a_forked_child)
{
    int crowd = 0;
    const uint32_t jvm = gate_enter(GATE_JVM);
    const uint32_t native = close_native_gate(&crowd);
    const pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        alarm(CHILD_SECONDS);
        const uint32_t own_jvm = gate_enter(GATE_JVM);
        const uint32_t own_native = gate_enter(GATE_NATIVE);
        gate_leave(GATE_NATIVE, own_native);
        gate_leave(GATE_JVM, own_jvm);
        gate_leave(GATE_NATIVE, native); /* entered in the parent */
        gate_leave(GATE_JVM, jvm);
        _exit(own_jvm != 0 && own_jvm != jvm && COUNTER_GET(gate_timeouts) == 0 ? 0 : 1);
    }
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0);
    open_native_gate(native, crowd);
    gate_leave(GATE_JVM, jvm);
}
