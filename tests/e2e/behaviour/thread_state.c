/* A new thread begins in the state in which the C library puts it: errno, signal mask,
 * name, scheduling, affinity, cancellation, no alternate signal stack. Whatever it finds
 * is compared with a thread that was made past the library. */
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/direct.h"
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>

struct state {
    int error;
    sigset_t signals;
    char name[16];
    int policy;
    struct sched_param param;
    cpu_set_t cpus;
    int cancel_state, cancel_type;
    int detach_state;
    int alternate_stack_flags;
};

static void *look(void *argument)
{
    struct state *state = argument;
    /* Before anything else can change it. */
    state->error = errno;
    pthread_attr_t attr;
    stack_t alternate;
    CHECK_OK(pthread_sigmask(SIG_BLOCK, NULL, &state->signals));
    CHECK_OK(pthread_getname_np(pthread_self(), state->name, sizeof(state->name)));
    CHECK_OK(pthread_getschedparam(pthread_self(), &state->policy, &state->param));
    CHECK_OK(pthread_getaffinity_np(pthread_self(), sizeof(state->cpus), &state->cpus));
    CHECK_OK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state->cancel_state));
    CHECK_OK(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &state->cancel_type));
    CHECK_OK(pthread_getattr_np(pthread_self(), &attr));
    CHECK_OK(pthread_attr_getdetachstate(&attr, &state->detach_state));
    CHECK_OK(pthread_attr_destroy(&attr));
    CHECK_OK(sigaltstack(NULL, &alternate));
    state->alternate_stack_flags = alternate.ss_flags;
    return NULL;
}

/* The result of the creation, and the state of the thread if there is one. */
static int observe(int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *),
                   const pthread_attr_t *attr, struct state *ret_state)
{
    pthread_t thread;
    memset(ret_state, 0, sizeof(*ret_state));
    int result = create(&thread, attr, look, ret_state);
    if (result == 0) {
        CHECK_OK(pthread_join(thread, NULL));
    }
    return result;
}

static struct state observe_both(const pthread_attr_t *attr)
{
    struct state state, expected;
    int result = observe(pthread_create, attr, &state);
    CHECK_EQUAL(result, observe(direct()->create, attr, &expected));
    CHECK_EQUAL(state.error, expected.error);
    CHECK(memcmp(&state.signals, &expected.signals, sizeof(state.signals)) == 0);
    CHECK(strcmp(state.name, expected.name) == 0);
    CHECK_EQUAL(state.policy, expected.policy);
    CHECK_EQUAL(state.param.sched_priority, expected.param.sched_priority);
    CHECK(CPU_EQUAL(&state.cpus, &expected.cpus));
    CHECK_EQUAL(state.cancel_state, expected.cancel_state);
    CHECK_EQUAL(state.cancel_type, expected.cancel_type);
    CHECK_EQUAL(state.detach_state, expected.detach_state);
    CHECK_EQUAL(state.alternate_stack_flags, expected.alternate_stack_flags);
    if (result == 0) {
        CHECK_EQUAL(state.error, 0);
        CHECK_EQUAL(state.alternate_stack_flags, SS_DISABLE);
        CHECK_EQUAL(state.cancel_state, PTHREAD_CANCEL_ENABLE);
        CHECK_EQUAL(state.cancel_type, PTHREAD_CANCEL_DEFERRED);
    }
    return state;
}

int main(void)
{
    pthread_attr_t attr;
    sigset_t signals;
    make_attr(&attr, (size_t)2 << 20, 0);
    observe_both(NULL);
    observe_both(&attr);

    CHECK_OK(prctl(PR_SET_NAME, "behaviour"));
    CHECK_OK(sigemptyset(&signals));
    CHECK_OK(sigaddset(&signals, SIGUSR1));
    CHECK_OK(sigaddset(&signals, SIGTERM));
    CHECK_OK(pthread_sigmask(SIG_BLOCK, &signals, NULL));
    struct state state = observe_both(&attr);
    CHECK(strcmp(state.name, "behaviour") == 0);
    CHECK_EQUAL(sigismember(&state.signals, SIGUSR1), 1);
    CHECK_EQUAL(sigismember(&state.signals, SIGTERM), 1);
    CHECK_EQUAL(sigismember(&state.signals, SIGUSR2), 0);

    if (direct()->attr_setsigmask != NULL) {
        sigset_t of_attr;
        CHECK_OK(sigemptyset(&of_attr));
        CHECK_OK(sigaddset(&of_attr, SIGUSR2));
        CHECK_OK(direct()->attr_setsigmask(&attr, &of_attr));
        state = observe_both(&attr);
        CHECK_EQUAL(sigismember(&state.signals, SIGUSR1), 0);
        CHECK_EQUAL(sigismember(&state.signals, SIGUSR2), 1);
    }

    cpu_set_t allowed, one;
    CHECK_OK(sched_getaffinity(0, sizeof(allowed), &allowed));
    int cpu = 0;
    while (!CPU_ISSET(cpu, &allowed)) {
        cpu++;
    }
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    CHECK_OK(pthread_attr_setaffinity_np(&attr, sizeof(one), &one));
    state = observe_both(&attr);
    CHECK(CPU_EQUAL(&state.cpus, &one));

    /* Allowed or not, the answer is the same; the thread has it only where it is allowed. */
    struct sched_param param = {.sched_priority = 5};
    CHECK_OK(pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED));
    CHECK_OK(pthread_attr_setschedpolicy(&attr, SCHED_FIFO));
    CHECK_OK(pthread_attr_setschedparam(&attr, &param));
    observe_both(&attr);
    CHECK_OK(pthread_attr_destroy(&attr));
    return finish();
}
