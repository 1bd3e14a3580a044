#include "shim/cli/heal_trip.h"
#include "detect/process_memory.h"
#include "shim/cli/heal_settle.h"
#include "shim/cli/heal_trace.h"

#include <elf.h>
#include <errno.h>
#include <sched.h>
#include <time.h>

#define YIELDS 50

/* Until the last call has returned; or not yet, but the thread has come to rest before that:
 * by a SIGSTOP, as all other signals are held back. That takes effect when it is let go. */
static int await_last(pid_t tid, uint64_t last)
{
    static const struct timespec nap = {0, 20000};
    struct heal_stopped stopped;
    struct heal_call call;
    for (unsigned tries = 0;; tries++) {
        int result = process_memory_read(tid, last, &call, sizeof(call));
        if (result != 0 || call.advice <= 0) {
            return result;
        }
        result = heal_await(tid, 0, &stopped);
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

/* 0, 1 or -errno as heal_trip. Only where it still stands there its list is what it was. */
static int bring_home(pid_t tid, uint64_t code, uint64_t mask, uint64_t list,
                      const struct heal_registers *registers, struct heal_call *calls, size_t count)
{
    struct heal_registers now;
    int result = heal_get_set(tid, NT_PRSTATUS, &now.general, sizeof(now.general));
    if (result == 0 && !heal_code_inside(&now, code)) {
        return 1;
    }
    if (result == 0) {
        result = process_memory_read(tid, list, calls, count * sizeof(calls[0]));
    }
    if (result == 0) {
        result = heal_set_mask(tid, mask);
    }
    return result != 0 ? result : heal_put_home(tid, registers);
}

/* From the moment when the thread has its new registers it comes back by itself: whatever
 * follows may be missed. So the mask is changed after them, and put back before them. */
int heal_trip(pid_t tid, uint64_t code, const struct heal_registers *registers,
              struct heal_call *calls, size_t count)
{
    static const struct heal_stopped here = {.stop = STOP_ASKED};
    unsigned char block[HEAL_BLOCK_BYTES];
    struct heal_registers sent;
    uint64_t mask, address;
    int result = heal_get_mask(tid, &mask);
    if (result != 0) {
        return result;
    }
    size_t size = heal_code_prepare(registers, mask, code, calls, count, block, &address, &sent);
    result = heal_write(tid, address, block, size);
    if (result == 0) {
        result = heal_put_home(tid, &sent);
    }
    if (result == 0) {
        result = heal_set_mask(tid, ~(uint64_t)0);
    }
    if (result == 0) {
        result = heal_go_on(tid, &here, false);
    }
    if (result == 0) {
        result = await_last(tid, address + (count - 1) * sizeof(calls[0]));
    }
    if (result == 0) {
        result = have_stop(tid);
    }
    return result != 0 ? result : bring_home(tid, code, mask, address, registers, calls, count);
}
