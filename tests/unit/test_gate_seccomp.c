/* The gate in a thread that may not make the system calls it needs: it goes through. */
#include "shim/gate.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

TestSuite(gate_seccomp, .timeout = 60);

static const struct gate_rules for_ever = {.reentry = true, .limit_ns = UINT64_MAX};

/* Filters are for one thread. */
static bool deny(unsigned system_call)
{
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, system_call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof steps / sizeof steps[0], steps};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

struct visitor {
    struct gate gate;
    unsigned denied;
    bool filtered;
    uint32_t ticket;
    int error;
};

static void *visit(void *argument)
{
    struct visitor *const self = argument;
    self->filtered = deny(self->denied);
    if (self->filtered) {
        errno = EDOM;
        self->ticket = gate_enter_by(&self->gate, &for_ever);
        self->error = errno;
        gate_leave_by(&self->gate, self->ticket);
    }
    return NULL;
}

static void expect_through(struct visitor *visitor)
{
    const uint32_t word = visitor->gate.word;
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, visit, visitor), 0);
    cr_assert_eq(pthread_join(thread, NULL), 0);
    if (!visitor->filtered) {
        cr_skip("the kernel has no seccomp filters");
    }
    cr_assert_eq(visitor->ticket, 0);
    cr_assert_eq(visitor->error, EDOM, "errno was changed");
    cr_assert_eq(visitor->gate.word & 0x7fffffff, word, "the gate changed hands");
}

Test(gate_seccomp, without_gettid_it_cannot_hold_the_gate)
{
    struct visitor visitor = {.denied = SYS_gettid};
    expect_through(&visitor);
    cr_assert_eq(visitor.gate.crowd, 0);
}

Test(gate_seccomp, without_futex_it_cannot_wait)
{
    struct visitor visitor = {.denied = SYS_futex};
    const uint32_t ticket = gate_enter_by(&visitor.gate, &for_ever);
    expect_through(&visitor);
    gate_leave_by(&visitor.gate, ticket);
    cr_assert_eq(visitor.gate.word, 0);
    cr_assert_eq(visitor.gate.crowd, 0);
}
