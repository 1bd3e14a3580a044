#include "shim/sites/start.h"

#include "shim/sites/table.h"

#include <stdatomic.h>

/* From a pool of fixed size: malloc on a new thread would make an arena, and in the
 * creator it may be malloc that creates the thread. */
#define POOL_RECORDS ((uint32_t)4096)
#define TRIES        64

struct sites_start {
    _Atomic bool taken; /* by compare-and-swap; free again by whoever has it */
    uint32_t site;
    void *(*routine)(void *);
    void *argument;
};

static struct sites_start pool[POOL_RECORDS];
static _Atomic uint32_t look_here; /* where a free record was seen last */

static struct sites_start *take(void)
{
    uint32_t first = atomic_load_explicit(&look_here, memory_order_relaxed);
    for (uint32_t i = 0; i < TRIES; i++) {
        struct sites_start *start = &pool[(first + i) % POOL_RECORDS];
        bool free = false;
        if (atomic_compare_exchange_strong_explicit(&start->taken, &free, true,
                                                    memory_order_acquire, memory_order_relaxed)) {
            atomic_store_explicit(&look_here, first + i + 1, memory_order_relaxed);
            return start;
        }
    }
    atomic_store_explicit(&look_here, first + TRIES, memory_order_relaxed);
    return NULL;
}

static void give_back(struct sites_start *start)
{
    atomic_store_explicit(&start->taken, false, memory_order_release);
    atomic_store_explicit(&look_here, (uint32_t)(start - pool), memory_order_relaxed);
}

static void *start_routine(void *argument_of_thread)
{
    struct sites_start *start = argument_of_thread;
    void *(*routine)(void *) = start->routine;
    void *argument = start->argument;
    uint32_t site = start->site;
    give_back(start);
    table_enter_thread(site);
    return routine(argument); /* a jump: this file is always optimised */
}

bool start_prepare(void *(*routine)(void *), void *argument, uint32_t site,
                   struct sites_creation *creation)
{
    struct sites_start *start = take();
    if (start == NULL) {
        return false;
    }
    start->routine = routine;
    start->argument = argument;
    start->site = site;
    creation->start = start;
    creation->routine = start_routine;
    creation->argument = start;
    return true;
}

void start_abandon(struct sites_start *start)
{
    give_back(start);
}
