#include "shim/stack_start.h"

#include "shim/bare_start.h"
#include "shim/pretouch_stack.h"
#include "shim/runtime.h"
#include "shim/stack_clean.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Records in flight at once: threads created that have not run yet. Untouched ones take no
 * memory; the most recently used is used first. */
#define POOL_RECORDS ((uint32_t)16384)

struct start_record {
    void *(*routine)(void *);
    void *argument;
    uint32_t turn; /* 0: not on a bare stack */
    struct bare_start bare;
    struct stack_marks marks; /* from the creator that claims a bare start */
    _Atomic uint32_t next;    /* number of the next free record; 0: last */
};

/* Record number n is pool[n - 1]. */
static struct start_record pool[POOL_RECORDS];

/* The free list: number of the first record below, a count of changes above, so that a
 * compare-and-swap fails when the list was changed and changed back. */
static _Atomic uint64_t free_list;
static _Atomic uint32_t used_so_far; /* records with higher numbers were never taken */

static uint64_t list_word(uint64_t previous, uint32_t first)
{
    return ((previous >> 32) + 1) << 32 | first;
}

static struct start_record *take(void)
{
    uint64_t list = atomic_load_explicit(&free_list, memory_order_acquire);
    while ((uint32_t)list != 0) {
        struct start_record *record = &pool[(uint32_t)list - 1];
        uint32_t next = atomic_load_explicit(&record->next, memory_order_relaxed);
        if (atomic_compare_exchange_weak_explicit(&free_list, &list, list_word(list, next),
                                                  memory_order_acquire, memory_order_acquire)) {
            return record;
        }
    }
    uint32_t used = atomic_load_explicit(&used_so_far, memory_order_relaxed);
    while (used < POOL_RECORDS) {
        if (atomic_compare_exchange_weak_explicit(&used_so_far, &used, used + 1,
                                                  memory_order_relaxed, memory_order_relaxed)) {
            return &pool[used];
        }
    }
    return NULL;
}

static void give_back(struct start_record *record)
{
    uint32_t number = (uint32_t)(record - pool) + 1;
    uint64_t list = atomic_load_explicit(&free_list, memory_order_relaxed);
    do {
        atomic_store_explicit(&record->next, (uint32_t)list, memory_order_relaxed);
    } while (!atomic_compare_exchange_weak_explicit(&free_list, &list, list_word(list, number),
                                                    memory_order_release, memory_order_relaxed));
}

struct start_record *stack_start_prepare(void *(*routine)(void *), void *argument, bool bare)
{
    struct start_record *record = take();
    if (record == NULL) {
        return NULL;
    }
    record->routine = routine;
    record->argument = argument;
    record->turn = bare ? bare_start_begin(&record->bare) : 0;
    return record;
}

uint32_t stack_start_turn(const struct start_record *record)
{
    return record->turn;
}

void stack_start_created(struct start_record *record, uint32_t turn, const pthread_t *thread)
{
    if (bare_start_claim(&record->bare, turn)) {
        bool flagged =
            runtime_verdict().kind == VERDICT_ACTIVE && stack_flag_new(*thread, &record->marks);
        bare_start_release(&record->bare, turn, flagged);
    }
}

void stack_start_abandon(struct start_record *record)
{
    if (record->turn != 0) {
        bare_start_end(&record->bare);
    }
    give_back(record);
}

void *stack_start_routine(void *argument_of_thread)
{
    struct start_record *record = argument_of_thread;
    void *(*routine)(void *) = record->routine;
    void *argument = record->argument;
    bool bare = record->turn != 0;
    if (!bare) {
        give_back(record);
    }
    if (runtime_verdict().kind == VERDICT_ACTIVE) {
        stack_clean(bare && bare_start_is_over(&record->bare) ? &record->marks : NULL);
    }
    if (bare) {
        bare_start_end(&record->bare);
        give_back(record);
    }
    pretouch_stack();
    return routine(argument); /* a jump: this file is always optimised */
}
