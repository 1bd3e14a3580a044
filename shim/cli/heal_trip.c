#include "shim/cli/heal_trip.h"
#include "detect/process_memory.h"
#include "shim/cli/heal_settle.h"
#include "shim/cli/heal_trace.h"

#include <elf.h>
#include <errno.h>
#include <sched.h>
#include <time.h>

#define YIELDS 50
/* Longer than a thread waits, the list done: one that gets a CPU may be at home by then. */
#define AWAIT_NS (UINT64_C(2) * HEAL_WAIT_NS)

#define NICE_IN_A_HURRY (-20)

static const struct heal_stopped here = {.stop = STOP_ASKED};

/* Until the last call has returned, or for so long: if we come too late to see that, the list is
 * memory that the thread uses again, and holds anything, or is gone. Not yet, but the thread has
 * come to rest before that: by a SIGSTOP, as all other signals are held back. That takes effect
 * when it is let go. */
static int await_last(pid_t tid, uint64_t last)
{
    uint64_t deadline = heal_clock_ns() + AWAIT_NS;
    static const struct timespec nap = {0, 20000};
    struct heal_stopped stopped;
    struct heal_call call;
    for (unsigned tries = 0;; tries++) {
        if (process_memory_read(tid, last, &call, sizeof(call)) != 0 || call.advice <= 0 ||
            heal_clock_ns() > deadline) {
            return 0;
        }
        int result = heal_await(tid, 0, &stopped);
        if (result == 0) {
            result = heal_go_on(tid, &stopped, false);
        }
        if (result != 0 && result != -ETIMEDOUT) {
            return result;
        }
        if (tries < YIELDS) {
            (void)sched_yield();
        } else {
            (void)nanosleep(&nap, NULL);
        }
    }
}

/* Where it waits, or wherever it is by now, if we were late. */
static int have_stop(pid_t tid)
{
    struct heal_stopped stopped;
    int result = heal_interrupt(tid);
    while (result == 0) {
        result = heal_await(tid, HEAL_NEVER, &stopped);
        if (result == 0 && stopped.stop == STOP_ASKED) {
            return 0;
        }
        if (result == 0) {
            result = heal_go_on(tid, &stopped, false);
        }
    }
    return result;
}

/* One way there and back. */
struct trip {
    pid_t tid;
    uint64_t code, list;
    uint64_t mask;
    int nice;
    bool hurried;
    const struct heal_registers *registers; /* at home */
    struct heal_call *calls;
    size_t count;
};

/* From the moment when the thread has its new registers it comes back by itself: whatever
 * follows may be missed. So mask and priority are changed after them, and put back before them.
 * Among a thousand threads that want a CPU it would wait for one as long as they all take. Not
 * permitted: then it does. */
static int send(struct trip *trip)
{
    unsigned char block[HEAL_BLOCK_BYTES];
    struct heal_registers sent;
    size_t size = heal_code_prepare(trip->registers, trip->mask, trip->nice, trip->code,
                                    trip->calls, trip->count, block, &trip->list, &sent);
    int result = heal_write(trip->tid, trip->list, block, size);
    if (result == 0) {
        result = heal_put_home(trip->tid, &sent);
    }
    if (result == 0) {
        result = heal_set_mask(trip->tid, ~(uint64_t)0);
    }
    if (result == 0) {
        trip->hurried = heal_set_nice(trip->tid, NICE_IN_A_HURRY) == 0;
        result = heal_go_on(trip->tid, &here, false);
    }
    return result;
}

/* 0, 1 or -errno as heal_trip; -EAGAIN: it has not worked through the list, and goes on doing so.
 * Only where it still stands there its list is what it was. */
static int bring_home(const struct trip *trip)
{
    struct heal_registers now;
    int result = heal_get_set(trip->tid, NT_PRSTATUS, &now.general, sizeof(now.general));
    if (result == 0 && !heal_code_inside(&now, trip->code)) {
        return 1;
    }
    if (result == 0) {
        result = process_memory_read(trip->tid, trip->list, trip->calls,
                                     trip->count * sizeof(trip->calls[0]));
    }
    if (result == 0 && trip->calls[trip->count - 1].advice > 0) {
        result = heal_go_on(trip->tid, &here, false);
        return result != 0 ? result : -EAGAIN;
    }
    if (result == 0 && trip->hurried) {
        result = heal_set_nice(trip->tid, trip->nice);
    }
    if (result == 0) {
        result = heal_set_mask(trip->tid, trip->mask);
    }
    return result != 0 ? result : heal_put_home(trip->tid, trip->registers);
}

int heal_trip(pid_t tid, uint64_t code, const struct heal_registers *registers,
              struct heal_call *calls, size_t count)
{
    struct trip trip = {
        .tid = tid, .code = code, .registers = registers, .calls = calls, .count = count};
    int result = heal_get_mask(tid, &trip.mask);
    if (result == 0) {
        result = heal_get_nice(tid, &trip.nice);
    }
    if (result == 0) {
        result = send(&trip);
    }
    if (result != 0) {
        return result;
    }
    do {
        result = await_last(tid, trip.list + (count - 1) * sizeof(calls[0]));
        if (result == 0) {
            result = have_stop(tid);
        }
        if (result == 0) {
            result = bring_home(&trip);
        }
    } while (result == -EAGAIN);
    return result;
}
