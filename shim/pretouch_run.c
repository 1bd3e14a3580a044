#include "shim/pretouch_run.h"

#include <stdatomic.h>

#define RUNS 8

/* Whoever has set it may use the runs. In a child forked meanwhile it stays set: ranges
 * are then no longer joined there. */
static atomic_flag in_use = ATOMIC_FLAG_INIT;
static struct pretouch_range runs[RUNS];
static size_t replaced_next;

/* The run that the range continues, or a new one in the place of an old one. */
static struct pretouch_range *run_of(const struct pretouch_range *range)
{
    for (size_t i = 0; i < RUNS; i++) {
        if (runs[i].bytes != 0 && runs[i].start + runs[i].bytes == range->start) {
            return &runs[i];
        }
    }
    struct pretouch_range *run = &runs[replaced_next];
    replaced_next = (replaced_next + 1) % RUNS;
    *run = (struct pretouch_range){range->start, 0};
    return run;
}

bool pretouch_run_add(const struct pretouch_range *range, size_t min_bytes,
                      struct pretouch_range *ret_due)
{
    if (range->bytes == 0) {
        return false;
    }
    struct pretouch_range before = {range->start, 0};
    if (!atomic_flag_test_and_set_explicit(&in_use, memory_order_acquire)) {
        struct pretouch_range *run = run_of(range);
        before = *run;
        run->bytes += range->bytes;
        atomic_flag_clear_explicit(&in_use, memory_order_release);
    }
    if (before.bytes + range->bytes < min_bytes) {
        return false;
    }
    if (before.bytes >= min_bytes) {
        *ret_due = *range;
    } else {
        *ret_due = (struct pretouch_range){before.start, before.bytes + range->bytes};
    }
    return true;
}
