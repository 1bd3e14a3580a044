#include "shim/cli/heal_thread.h"
#include "detect/process_memory.h"
#include "detect/process_parse.h"
#include "detect/root_read.h"
#include "shim/cli/heal_code.h"
#include "shim/cli/heal_scan.h"
#include "shim/cli/heal_split.h"
#include "shim/cli/heal_trace.h"
#include "shim/cli/heal_trip.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* A thread that does not stop within that runs nowhere, or waits for what does not end. It is
 * not stopped meanwhile. */
#define AWAIT_NS 500000000

const char *heal_state_words(enum heal_state state)
{
    static const char *const words[] = {
#define HEAL_STATE_WORDS(name, text) [HEAL_##name] = text,
        HEAL_STATES(HEAL_STATE_WORDS)
#undef HEAL_STATE_WORDS
    };
    return words[state];
}

/* Before it is touched: what would it do when stopped, or when it calls madvise? */
static enum heal_state look_first(pid_t pid, pid_t tid)
{
    char path[64], text[4096];
    size_t length;
    (void)snprintf(path, sizeof(path), "/proc/%d/task/%d/status", (int)pid, (int)tid);
    ssize_t size = root_read(ROOT_HOST, path, text, sizeof(text) - 1);
    if (size <= 0) {
        return HEAL_ENDED;
    }
    text[size] = '\0';
    const char *state = process_status_value(text, "State", &length);
    if (state == NULL || *state == 'D') {
        return HEAL_BUSY;
    }
    if (*state == 'Z' || *state == 'X') {
        return HEAL_ENDED;
    }
    const char *seccomp = process_status_value(text, "Seccomp", &length);
    return seccomp != NULL && *seccomp != '0' ? HEAL_CONFINED : HEAL_PENDING;
}

static void count_results(const struct heal_call *asked, const struct heal_call *done, size_t count,
                          struct heal_tally *tally)
{
    for (size_t i = 0; i < count; i++) {
        if (done[i].advice != 0) {
            tally->failed_calls++;
            tally->call_error = (int)done[i].advice;
        } else if (asked[i].advice == MADV_DONTNEED) {
            tally->freed_bytes += asked[i].bytes;
        }
    }
}

/* As heal_trip. A thread that was not waited for has done its list all the same. */
static int run_calls(const struct heal_process *process, pid_t tid,
                     const struct heal_registers *registers, const struct heal_plan *plan,
                     struct heal_tally *tally)
{
    struct heal_call done[HEAL_CALLS_MAX];
    memcpy(done, plan->calls, plan->count * sizeof(done[0]));
    int result = heal_trip(tid, process->code, registers, done, plan->count);
    if (result == 0) {
        count_results(plan->calls, done, plan->count, tally);
    } else if (result > 0) {
        tally->freed_bytes += plan->bytes;
    }
    return result;
}

/* The first thread that is stopped writes the instructions for all. */
static int write_code(struct heal_process *process, pid_t tid)
{
    if (process->code != 0) {
        return 0;
    }
    int result = heal_write_code(tid, process->code_room, heal_code, heal_code_bytes);
    if (result == 0) {
        process->code = process->code_room;
    }
    return result;
}

static enum heal_state judge(const struct heal_thread *thread,
                             const struct heal_registers *registers)
{
    uint64_t pointer = heal_code_stack_pointer(registers);
    if (!heal_plan_on_stack(&thread->stack, pointer, heal_code_thread_pointer(registers))) {
        return HEAL_ELSEWHERE;
    }
    if (!heal_code_can_leave(registers)) {
        return HEAL_OWN_MASK;
    }
    if (!heal_code_in_call(registers) && heal_in_sequence(thread->tid)) {
        return HEAL_BUSY;
    }
    return pointer - thread->stack.low > HEAL_ROOM_BYTES ? HEAL_DONE : HEAL_NO_ROOM;
}

/* As far as there is time. 0: it is back, or never was away; 1: it went home by itself. */
static int free_pages(struct heal_process *process, struct heal_thread *thread,
                      const struct heal_registers *registers, uint64_t deadline_ns, bool *ret_moved,
                      struct heal_tally *tally)
{
    struct heal_call calls[HEAL_CALLS_MAX];
    struct heal_plan plan = {
        .calls = calls, .room = HEAL_CALLS_MAX, .split_outside = process->split_fd >= 0};
    uint64_t dead_end = heal_plan_dead_end(&thread->stack, heal_code_stack_pointer(registers),
                                           process->pages.page_bytes);
    int result;
    do {
        result = heal_scan(process->memory_tid, &process->pages, &thread->stack, dead_end,
                           deadline_ns, &thread->next, &plan);
        if (result == 0 && plan.count != 0) {
            result = run_calls(process, thread->tid, registers, &plan, tally);
            thread->stack.exempt = result >= 0;
            *ret_moved = true;
        }
    } while (result == 0 && thread->next < dead_end && heal_clock_ns() < deadline_ns);
    if (result >= 0 && thread->next >= dead_end) {
        thread->state = HEAL_DONE;
    }
    return result;
}

/* What is done while it is stopped. */
static int work(struct heal_process *process, struct heal_thread *thread,
                const struct heal_waiting *waiting, struct heal_stopped *stopped,
                struct heal_tally *tally)
{
    struct heal_registers registers;
    uint64_t deadline = stopped->since_ns + process->stop_ns;
    bool moved = false;
    int result = heal_settle(thread->tid, waiting, stopped, &registers);
    if (result != 0) {
        return result;
    }
    enum heal_state state = judge(thread, &registers);
    if (state == HEAL_DONE) {
        result = write_code(process, thread->tid);
    } else {
        thread->state = state;
    }
    if (state == HEAL_DONE && result == 0 && !process->handlers.known) {
        result = heal_learn(thread->tid, process->code, &registers, &process->handlers);
        moved = true;
    }
    if (state == HEAL_DONE && result == 0) {
        result = free_pages(process, thread, &registers, deadline, &moved, tally);
    }
    if (result > 0) {
        /* It was at home, and may have waited again, when it was stopped anew. */
        moved = false;
        result = heal_settle(thread->tid, waiting, stopped, &registers);
    }
    if (result == 0) {
        heal_enter(thread->tid, &registers, moved, &process->handlers, stopped);
    }
    return result;
}

/* What it has left of its huge pages while it was stopped. Its stack may be gone by now, and other
 * memory there, to which this does nothing. */
static void split_rest(const struct heal_process *process, const struct heal_thread *thread,
                       struct heal_tally *tally)
{
    const struct heal_stack *stack = &thread->stack;
    int result = heal_split(process->split_fd, stack->low, stack->end - stack->low);
    if (result != 0 && result != -ENOMEM && result != -ESRCH) {
        tally->failed_calls++;
        tally->call_error = result;
    }
}

static void count_stop(uint64_t since_ns, struct heal_tally *tally)
{
    uint64_t stop_ns = heal_clock_ns() - since_ns;
    tally->stops++;
    tally->total_ns += stop_ns;
    tally->longest_ns = stop_ns > tally->longest_ns ? stop_ns : tally->longest_ns;
}

int heal_thread(struct heal_process *process, struct heal_thread *thread, struct heal_tally *tally)
{
    struct heal_waiting waiting;
    struct heal_stopped stopped;
    thread->state = look_first(process->pid, thread->tid);
    if (thread->state != HEAL_PENDING) {
        return 0;
    }
    heal_look(process->pid, thread->tid, &waiting);
    int result = heal_seize(thread->tid);
    if (result == 0) {
        result = heal_await(thread->tid, heal_clock_ns() + AWAIT_NS, &stopped);
        thread->seized = result == -ETIMEDOUT;
    }
    if (result == 0) {
        uint64_t since_ns = stopped.since_ns, freed_bytes = tally->freed_bytes;
        result = work(process, thread, &waiting, &stopped, tally);
        thread->seized = heal_release(thread->tid, &stopped) != 0;
        count_stop(since_ns, tally);
        if (process->split_fd >= 0 && tally->freed_bytes != freed_bytes) {
            split_rest(process, thread, tally);
        }
    }
    if (result == -ESRCH) {
        thread->state = HEAL_ENDED;
    } else if (result != 0 && result != -EPERM) { /* -ETIMEDOUT: not stopped in time */
        thread->state = HEAL_BUSY;
    }
    return result == -EPERM ? -EPERM : 0;
}

bool heal_thread_let_go(struct heal_thread *thread, struct heal_tally *tally)
{
    static const struct heal_waiting unknown;
    struct heal_registers registers;
    struct heal_handlers handlers = {.known = false};
    struct heal_stopped stopped;
    if (!thread->seized) {
        return true;
    }
    int result = heal_await(thread->tid, 0, &stopped);
    if (result == -ETIMEDOUT) {
        return false;
    }
    if (result == 0) {
        uint64_t since_ns = stopped.since_ns;
        if (heal_settle(thread->tid, &unknown, &stopped, &registers) == 0) {
            heal_enter(thread->tid, &registers, false, &handlers, &stopped);
        }
        (void)heal_release(thread->tid, &stopped);
        count_stop(since_ns, tally);
    }
    thread->seized = false;
    return true;
}
