/* The interface of the library: when a creation may be looked at, and by whom.
 *
 * One thread looks at its stack at a time, because libunwind and the loader take locks for
 * it. Others wait, but not for ever: whoever looks may wait for something that a waiting
 * thread holds. What is not looked at in time is counted, and created all the same. */

#include "shim/sites/stack_room.h"
#include "shim/sites/start.h"
#include "shim/sites/table.h"
#include "shim/sites/walk.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#define TRIES 500

static uintptr_t looking; /* the thread that looks, or 0; by compare-and-swap */

static bool start_looking(void)
{
    uintptr_t self = (uintptr_t)pthread_self();
    for (unsigned i = 0; i < TRIES; i++) {
        uintptr_t other = 0;
        if (__atomic_compare_exchange_n(&looking, &other, self, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED)) {
            return true;
        }
        if (other == self) {
            return false; /* in a signal handler that came in between */
        }
        (void)sched_yield();
    }
    return false;
}

static void stop_looking(void)
{
    __atomic_store_n(&looking, 0, __ATOMIC_RELEASE);
}

/* A child of a process with threads may have got locks that nobody will ever release. One of
 * a process without, such as a daemon's, goes on in its parent's place. */
static bool may_look_here(void)
{
    uint64_t pid = (uint64_t)getpid();
    if (__atomic_load_n(&thpfix_sites.pid, __ATOMIC_RELAXED) == pid) {
        return true;
    }
    if (__atomic_load_n(&thpfix_sites.seen, __ATOMIC_RELAXED) != 0 &&
        __atomic_load_n(&thpfix_sites.pid, __ATOMIC_RELAXED) != pid) {
        return false;
    }
    __atomic_store_n(&thpfix_sites.pid, pid, __ATOMIC_RELAXED);
    return true;
}

static uint32_t find_site(const void *caller)
{
    uint64_t frames[SITES_FRAMES_MAX];
    uintptr_t stack_end;
    bool cut;
    if (!may_look_here()) {
        SITES_COUNT(after_fork);
        return 0;
    }
    SITES_COUNT(seen);
    if (!stack_room_has(WALK_STACK_BYTES, &stack_end)) {
        SITES_COUNT(short_of_stack);
        return 0;
    }
    if (!start_looking()) {
        SITES_COUNT(busy);
        return 0;
    }
    size_t count = walk_stack(caller, stack_end, frames, SITES_FRAMES_MAX, &cut);
    uint32_t site = table_find_site(frames, count, cut);
    stop_looking();
    if (site == 0) {
        SITES_COUNT(no_room);
    }
    return site;
}

static void begin(const struct sites_request *request, void *(*routine)(void *), void *argument,
                  struct sites_creation *ret_creation)
{
    int saved = errno, state;
    /* libunwind may call what is a cancellation point; pthread_create is none. */
    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    *ret_creation = (struct sites_creation){routine, argument, NULL, find_site(request->caller)};
    if (ret_creation->site != 0 &&
        !start_prepare(routine, argument, ret_creation->site, ret_creation)) {
        SITES_COUNT(not_matched);
    }
    (void)pthread_setcancelstate(state, NULL);
    errno = saved;
}

static void end(const struct sites_request *request, const struct sites_creation *creation,
                bool created)
{
    if (created && creation->site != 0) {
        table_count(creation->site, request);
    } else if (!created && creation->start != NULL) {
        start_abandon(creation->start);
    }
}

extern const struct sites_interface thpfix_sites_interface;
__attribute__((visibility("default")))
const struct sites_interface thpfix_sites_interface = {SITES_INTERFACE_VERSION, begin, end};

__attribute__((constructor)) static void library_start(void)
{
    stack_room_start();
    walk_prepare();
    table_start((uint64_t)getpid());
}
