#include "shim/top_walk.h"

#include "detect/units.h"
#include "shim/plan.h"

#include <stdatomic.h>

#define BOUNDARY_MET UINT32_MAX

/* Where the tops lie between two strides, in pages and one more, of the row to be left and of
 * the one left last: its threads that were created before the step still tell of it. 0: none. */
static _Atomic uint32_t row_to_leave, row_left;

void top_walk_note_boundary(void)
{
    atomic_store_explicit(&row_to_leave, BOUNDARY_MET, memory_order_relaxed);
}

/* Is the mapping of a size that plan.h has made walk in step? */
static bool walks_in_step(uintptr_t base, uintptr_t end, size_t page_bytes)
{
    size_t stride = PLAN_STRIDE_PAGES * page_bytes;
    size_t beyond = (end - base) & (2 * stride - 1);
    return beyond == stride || beyond == stride + PLAN_STEP_PAGES * page_bytes;
}

void top_walk_note_stack(uintptr_t base, uintptr_t live, uintptr_t end, size_t page_bytes)
{
    size_t stride = PLAN_STRIDE_PAGES * page_bytes;
    /* One top in a row that crosses a multiple of the stride: another will cross a boundary. */
    if (end - align_down(live, stride) < stride || !walks_in_step(base, end, page_bytes)) {
        return;
    }
    uint32_t row = (uint32_t)((end & (stride - 1)) / page_bytes) + 1;
    if (row != atomic_load_explicit(&row_left, memory_order_relaxed)) {
        atomic_store_explicit(&row_to_leave, row, memory_order_relaxed);
    }
}

bool top_walk_take_step(void)
{
    /* Almost always none: a plain load leaves the line shared. */
    uint32_t row = atomic_load_explicit(&row_to_leave, memory_order_relaxed);
    if (row == 0) {
        return false;
    }
    if (row != BOUNDARY_MET) {
        atomic_store_explicit(&row_left, row, memory_order_relaxed);
    }
    return atomic_exchange_explicit(&row_to_leave, 0, memory_order_relaxed) != 0;
}
