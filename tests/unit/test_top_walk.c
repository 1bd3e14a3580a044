#include "shim/top_walk.h"

#include "shim/plan.h"

#include <criterion/criterion.h>

#define PAGE    ((size_t)4096)
#define STRIDE  (PLAN_STRIDE_PAGES * PAGE)
#define IN_STEP (64 * STRIDE + STRIDE) /* an odd multiple */

/* A stack of a row that has touched so many pages below its top, which lies so many pages above
 * a multiple of the stride. */
static void note(size_t mapping_bytes, size_t pages_above, size_t pages_touched)
{
    uintptr_t end = (uintptr_t)0x7f0000000000 + pages_above * PAGE;
    top_walk_note_stack(end - mapping_bytes, end - pages_touched * PAGE, end, PAGE);
}

Test(top_walk, one_step_for_each_boundary_met)
{
    cr_assert_not(top_walk_take_step());
    top_walk_note_boundary();
    top_walk_note_boundary();
    cr_assert(top_walk_take_step());
    cr_assert_not(top_walk_take_step());
}

Test(top_walk, a_step_for_a_row_that_will_meet_one)
{
    for (size_t above = 0; above < PLAN_STRIDE_PAGES; above++) {
        note(IN_STEP, above, PLAN_STEP_PAGES);
        cr_assert_eq(top_walk_take_step(), above < PLAN_STEP_PAGES, "%zu pages above", above);
    }
}

Test(top_walk, one_step_leads_clear)
{
    for (size_t above = 0; above < PLAN_STEP_PAGES; above++) {
        note(IN_STEP, above, PLAN_STEP_PAGES);
        cr_assert(top_walk_take_step());
        note(IN_STEP, above + PLAN_STRIDE_PAGES - PLAN_STEP_PAGES, PLAN_STEP_PAGES);
        cr_assert_not(top_walk_take_step(), "%zu pages above", above);
    }
}

Test(top_walk, those_created_before_the_step_ask_for_no_other)
{
    note(IN_STEP, 1, PLAN_STEP_PAGES);
    cr_assert(top_walk_take_step());
    note(IN_STEP, 1, PLAN_STEP_PAGES);
    cr_assert_not(top_walk_take_step());
    top_walk_note_boundary();
    cr_assert(top_walk_take_step(), "but one that has met a boundary does");
}

Test(top_walk, sizes_that_do_not_walk_in_step_say_nothing)
{
    note(IN_STEP + STRIDE, 0, PLAN_STEP_PAGES);
    note(IN_STEP + PAGE, 0, PLAN_STEP_PAGES);
    cr_assert_not(top_walk_take_step());
    note(IN_STEP + PLAN_STEP_PAGES * PAGE, 0, PLAN_STEP_PAGES);
    cr_assert(top_walk_take_step());
}
