/* The threads that pretouch in the background: what they are like, and that no signal of the
 * program ever runs on them. */
#include "detect/counters_abi.h"
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/pretouch/range.h"
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define BYTES (192 * MIB)

static volatile sig_atomic_t handled, handled_elsewhere;
static pthread_t main_thread;

static void handle(int signal)
{
    (void)signal;
    handled = handled + 1;
    if (pthread_self() != main_thread) {
        handled_elsewhere = 1;
    }
}

static uint64_t blocked_signals(int id, char *ret_name)
{
    char path[64], line[256];
    uint64_t mask = 0;
    (void)snprintf(path, sizeof(path), "/proc/self/task/%d/status", id);
    FILE *file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        (void)sscanf(line, "SigBlk: %" SCNx64, &mask);
        (void)sscanf(line, "Name: %31s", ret_name);
    }
    if (file != NULL) {
        fclose(file);
    }
    return mask;
}

/* All that can be blocked, but for the two that glibc needs: a setuid waits for every
 * thread to take one. */
static void check_signals(uint64_t blocked)
{
    for (int signal = 1; signal < SIGRTMIN - 2; signal++) {
        bool can = signal != SIGKILL && signal != SIGSTOP;
        CHECK_EQUAL(blocked >> (signal - 1) & 1, can);
    }
    CHECK_EQUAL(blocked >> (SIGRTMIN - 3) & 3, 0);
    for (int signal = SIGRTMIN; signal <= SIGRTMAX; signal++) {
        CHECK_EQUAL(blocked >> (signal - 1) & 1, 1);
    }
}

/* false: it ended before all was seen. */
static bool look_at_worker(void)
{
    unsigned char *range = range_map(BYTES);
    sigset_t before, after;
    CHECK_OK(sigprocmask(SIG_SETMASK, NULL, &before));
    CHECK_OK(madvise(range, BYTES, MADV_HUGEPAGE));
    CHECK_OK(sigprocmask(SIG_SETMASK, NULL, &after));
    for (int signal = 1; signal <= SIGRTMAX; signal++) {
        CHECK_EQUAL(sigismember(&after, signal), sigismember(&before, signal));
    }
    CHECK(range_wait_resident(range, BYTES, 1)); /* it has begun */
    char name[32] = "";
    int id = worker_id();
    uint64_t blocked = id != 0 ? blocked_signals(id, name) : 0;
    int nice_value = id != 0 ? getpriority(PRIO_PROCESS, (id_t)id) : 0;
    for (int i = 0; i < 100; i++) {
        CHECK_OK(kill(getpid(), SIGUSR1));
    }
    bool seen = id != 0 && worker_id() == id;
    if (seen) {
        check_signals(blocked);
        CHECK(strcmp(name, "thpfix-pretouch") == 0);
        CHECK(nice_value > 0);
    }
    CHECK(range_wait_resident(range, BYTES, BYTES));
    CHECK(worker_wait_gone());
    CHECK_OK(munmap(range, BYTES));
    return seen;
}

int main(void)
{
    main_thread = pthread_self();
    CHECK(signal(SIGUSR1, handle) != SIG_ERR);
    const int nice_value = getpriority(PRIO_PROCESS, 0);
    CHECK_EQUAL(worker_id(), 0);
    bool seen = false;
    for (int round = 0; round < 20 && !seen; round++) {
        seen = look_at_worker();
    }
    CHECK(seen);
    CHECK(handled > 0);
    CHECK(!handled_elsewhere);
    CHECK_EQUAL(getpriority(PRIO_PROCESS, 0), nice_value);
    return EXIT_SUCCESS;
}
