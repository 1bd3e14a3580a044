#include "shim/cli/heal_run.h"
#include "detect/root_read.h"
#include "shim/cli/heal_split.h"
#include "shim/cli/heal_trace.h"
#include "shim/cli/watch.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS        8
#define LAST_ROUND_NS 1000000000 /* for threads that were seized and did not stop */

static const struct timespec nap = {0, 20000000};

/* Those of glibc's own stacks that have, or can get, what is to be freed. */
static struct heal_thread *choose(const struct inspection *inspection, size_t *ret_count,
                                  size_t *ret_untold)
{
    const struct process_stacks *stacks = &inspection->stacks;
    struct heal_thread *threads = calloc(stacks->count + 1, sizeof(*threads));
    if (threads == NULL) {
        return NULL;
    }
    size_t count = 0, untold = 0;
    for (size_t i = 0; i < stacks->count; i++) {
        const struct process_stack *stack = &stacks->stacks[i];
        bool exempt = stack->exempt && stack->exempt_known;
        if (stack->origin == STACK_UNTOLD || stack->origin == STACK_CALLER) {
            untold++;
        } else if (stack->origin == STACK_GLIBC &&
                   (!exempt || process_stack_suspect(stack, inspection->thp_bytes))) {
            uint64_t low = stack->base + stack->guard_bytes;
            threads[count++] = (struct heal_thread){
                .tid = stack->tid, .stack = {stack->base, low, stack->end, exempt}, .next = low};
        }
    }
    *ret_count = count;
    *ret_untold = untold;
    return threads;
}

static bool worth_a_try(const struct heal_thread *thread)
{
    return !thread->seized && (thread->state == HEAL_PENDING || thread->state == HEAL_BUSY ||
                               thread->state == HEAL_ELSEWHERE || thread->state == HEAL_OWN_MASK);
}

/* How many are left that have not stopped yet. */
static size_t let_go(struct heal_thread *threads, size_t count, struct heal_tally *tally)
{
    size_t late = 0;
    for (size_t i = 0; i < count; i++) {
        late += !heal_thread_let_go(&threads[i], tally);
    }
    return late;
}

/* One round. Returns how many threads are left to try again, or -errno. */
static ssize_t go_round(struct heal_process *process, struct heal_thread *threads, size_t count,
                        struct heal_tally *tally)
{
    ssize_t left = 0;
    size_t late = 1; /* from the round before */
    for (size_t i = 0; i < count && !watch_ended(); i++) {
        late = late != 0 ? let_go(threads, count, tally) : 0;
        if (worth_a_try(&threads[i])) {
            int result = heal_thread(process, &threads[i], tally);
            if (result != 0) {
                return result;
            }
        }
        late += threads[i].seized;
        left += threads[i].seized || worth_a_try(&threads[i]);
    }
    return left;
}

/* Those that still do not stop: the kernel lets them go when this process ends. */
static void let_all_go(struct heal_thread *threads, size_t count, struct heal_tally *tally)
{
    uint64_t deadline = heal_clock_ns() + LAST_ROUND_NS;
    while (let_go(threads, count, tally) != 0 && heal_clock_ns() < deadline) {
        (void)nanosleep(&nap, NULL);
    }
}

/* A thread that waits while this process, which stopped it, waits for a CPU waits for nothing. The
 * highest priority of those that share is no more than a part of the CPU, 15 % where 500 threads
 * want it. Not permitted: then it does. */
static void hurry(void)
{
    const struct sched_param least = {.sched_priority = 1};
    if (sched_setscheduler(0, SCHED_FIFO, &least) != 0) {
        (void)setpriority(PRIO_PROCESS, 0, -20);
    }
    (void)prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
}

int heal_run(const struct inspection *inspection, uint64_t code_room, uint64_t stop_ns,
             struct heal_summary *ret_summary)
{
    const struct process_identity *identity = &inspection->identity;
    struct heal_process process = {.pid = identity->pid,
                                   .memory_tid = identity->memory_tid,
                                   .code_room = code_room,
                                   .stop_ns = stop_ns};
    struct heal_summary summary = {0};
    size_t count = 0;
    struct heal_thread *threads = choose(inspection, &count, &summary.untold);
    if (threads == NULL) {
        return -ENOMEM;
    }
    int result =
        process_pages_open(ROOT_HOST, identity->memory_tid, inspection->page_bytes, &process.pages);
    if (result != 0) {
        free(threads);
        return result;
    }
    process.split_fd = heal_split_open(identity->pid);
    ssize_t left = 1;
    hurry();
    for (unsigned i = 0; i < ROUNDS && left > 0 && !watch_ended(); i++) {
        if (i != 0) {
            (void)nanosleep(&nap, NULL);
        }
        left = go_round(&process, threads, count, &summary.tally);
    }
    let_all_go(threads, count, &summary.tally);
    process_pages_close(&process.pages);
    if (process.split_fd >= 0) {
        (void)close(process.split_fd);
    }
    for (size_t i = 0; i < count; i++) {
        summary.states[threads[i].state]++;
    }
    free(threads);
    if (left == -EPERM && summary.states[HEAL_DONE] == 0) {
        return -EPERM;
    }
    *ret_summary = summary;
    return 0;
}
