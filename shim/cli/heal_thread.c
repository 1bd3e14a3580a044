#include "shim/cli/heal_thread.h"
#include "detect/process_memory.h"
#include "detect/process_parse.h"
#include "detect/root_read.h"
#include "shim/cli/heal_code.h"
#include "shim/cli/heal_scan.h"
#include "shim/cli/heal_trace.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define PAGES_AT_ONCE  64
#define PAGE_BYTES_MAX ((size_t)65536)

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

/* Sends the thread to work through the calls, and has it back where it was. From the moment
 * when it has its new registers it comes back by itself: whatever follows may be missed. So the
 * mask is changed after them, and put back before them. */
static int run_calls(const struct heal_process *process, pid_t tid,
                     const struct user_regs_struct *registers, const struct heal_plan *plan,
                     struct heal_tally *tally)
{
    unsigned char block[HEAL_BLOCK_BYTES];
    struct heal_call done[HEAL_CALLS_MAX];
    struct user_regs_struct sent;
    uint64_t mask, address;
    int result = heal_get_mask(tid, &mask);
    if (result != 0) {
        return result;
    }
    size_t size = heal_code_prepare(registers, mask, process->code, plan->calls, plan->count, block,
                                    &address, &sent);
    result = heal_write(tid, address, block, size);
    if (result != 0) {
        return result;
    }
    result = heal_set_registers(tid, &sent);
    if (result != 0) {
        return result;
    }
    result = heal_set_mask(tid, ~(uint64_t)0);
    if (result == 0) {
        result = heal_follow(tid);
    }
    if (result == 0 &&
        process_memory_read(tid, address, done, plan->count * sizeof(done[0])) == 0) {
        count_results(plan->calls, done, plan->count, tally);
    }
    if (result == 0) {
        result = heal_set_mask(tid, mask);
    }
    return result != 0 ? result : heal_set_registers(tid, registers);
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

static enum heal_state judge(const struct heal_thread *thread, const struct heal_stopped *stopped,
                             const struct user_regs_struct *registers)
{
    uint64_t pointer = heal_code_stack_pointer(registers);
    if (!heal_plan_on_stack(&thread->stack, pointer, heal_code_thread_pointer(registers))) {
        return HEAL_ELSEWHERE;
    }
    if (stopped->stop != STOP_ASKED ||
        (heal_code_system_call(registers) < 0 && heal_in_sequence(thread->tid))) {
        return HEAL_BUSY;
    }
    if (!heal_code_can_leave(registers)) {
        return HEAL_OWN_MASK;
    }
    return pointer - thread->stack.low > HEAL_ROOM_BYTES ? HEAL_DONE : HEAL_NO_ROOM;
}

/* What is done while it is stopped. */
static int work(struct heal_process *process, struct heal_thread *thread,
                const struct heal_stopped *stopped, uint64_t deadline_ns, struct heal_tally *tally)
{
    struct heal_call calls[HEAL_CALLS_MAX];
    struct heal_plan plan = {.calls = calls, .room = HEAL_CALLS_MAX};
    struct user_regs_struct registers;
    int result = heal_get_registers(thread->tid, &registers);
    if (result == 0 && heal_code_spare_eintr(&registers)) {
        result = heal_set_registers(thread->tid, &registers);
    }
    if (result != 0) {
        return result;
    }
    enum heal_state state = judge(thread, stopped, &registers);
    if (state != HEAL_DONE) {
        thread->state = state;
        return 0;
    }
    result = write_code(process, thread->tid);
    uint64_t dead_end = heal_plan_dead_end(&thread->stack, heal_code_stack_pointer(&registers),
                                           process->pages.page_bytes);
    do {
        if (result == 0) {
            result = heal_scan(process->memory_tid, &process->pages, &thread->stack, dead_end,
                               deadline_ns, &thread->next, &plan);
        }
        if (result == 0 && plan.count != 0) {
            result = run_calls(process, thread->tid, &registers, &plan, tally);
            thread->stack.exempt = true;
        }
    } while (result == 0 && thread->next < dead_end && heal_clock_ns() < deadline_ns);
    if (result == 0 && thread->next >= dead_end) {
        thread->state = HEAL_DONE;
    }
    return result;
}

int heal_thread(struct heal_process *process, struct heal_thread *thread, struct heal_tally *tally)
{
    struct heal_stopped stopped;
    thread->state = look_first(process->pid, thread->tid);
    if (thread->state != HEAL_PENDING) {
        return 0;
    }
    uint64_t start = heal_clock_ns(), deadline = start + process->stop_ns;
    int result = heal_seize(thread->tid);
    if (result == 0) {
        result = heal_await(thread->tid, deadline, &stopped);
        thread->seized = result == -ETIMEDOUT;
    }
    if (result == 0) {
        result = work(process, thread, &stopped, deadline, tally);
        heal_release(thread->tid, &stopped);
        uint64_t stop_ns = heal_clock_ns() - start;
        tally->stops++;
        tally->total_ns += stop_ns;
        tally->longest_ns = stop_ns > tally->longest_ns ? stop_ns : tally->longest_ns;
    }
    if (result == -ESRCH) {
        thread->state = HEAL_ENDED;
    } else if (result != 0 && result != -EPERM) { /* -ETIMEDOUT: not stopped in time */
        thread->state = HEAL_BUSY;
    }
    return result == -EPERM ? -EPERM : 0;
}

bool heal_thread_let_go(struct heal_thread *thread)
{
    struct heal_stopped stopped;
    if (!thread->seized) {
        return true;
    }
    int result = heal_await(thread->tid, 0, &stopped);
    if (result == -ETIMEDOUT) {
        return false;
    }
    if (result == 0) {
        struct user_regs_struct registers;
        if (heal_get_registers(thread->tid, &registers) == 0 && heal_code_spare_eintr(&registers)) {
            (void)heal_set_registers(thread->tid, &registers);
        }
        heal_release(thread->tid, &stopped);
    }
    thread->seized = false;
    return true;
}
