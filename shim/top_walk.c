#include "shim/top_walk.h"

#include <stdatomic.h>

static _Atomic bool step_due;

void top_walk_note_boundary(void)
{
    atomic_store_explicit(&step_due, true, memory_order_relaxed);
}

bool top_walk_take_step(void)
{
    /* Almost always false: a plain load leaves the line shared. */
    return atomic_load_explicit(&step_due, memory_order_relaxed) &&
           atomic_exchange_explicit(&step_due, false, memory_order_relaxed);
}
