#include "detect/units.h"
#include "shim/plan.h"

#include <criterion/criterion.h>
#include <stdint.h>

struct machine {
    const char *name;
    size_t page_bytes, thp_bytes;
};

static const struct machine machines[] = {
    {"4 KiB pages", 4 * KIB, 2 * MIB},
    {"16 KiB pages", 16 * KIB, 32 * MIB},
    {"64 KiB pages", 64 * KIB, 512 * MIB},
};
#define FOR_EACH_MACHINE(m)                                                                        \
    for (const struct machine *m = machines;                                                       \
         m < machines + sizeof(machines) / sizeof(machines[0]); m++)

static struct plan_limits limits_of(const struct machine *machine)
{
    return (struct plan_limits){.page_bytes = machine->page_bytes,
                                .thp_bytes = machine->thp_bytes,
                                .may_add_guard = true,
                                .may_pad = true};
}

/* Top of the mapping above the last THP boundary, were the base aligned to one. */
static size_t top_clearance(const struct stack_plan *plan, size_t thp_bytes)
{
    return (plan->size_bytes + plan->guard_bytes) % thp_bytes;
}

Test(plan, never_smaller_always_guarded_always_clear_of_a_boundary)
{
    FOR_EACH_MACHINE(m)
    {
        struct plan_limits limits = limits_of(m);
        for (size_t blocks = 0; blocks <= 5; blocks++) {
            for (long off = -40; off <= 40; off++) {
                for (size_t guard = 0; guard <= 40; guard++) {
                    size_t size = blocks * m->thp_bytes + (size_t)(off * (long)m->page_bytes);
                    if (blocks == 0 && off < 1) {
                        continue;
                    }
                    struct stack_request request = {.size_bytes = size,
                                                    .guard_bytes = guard * m->page_bytes};
                    struct stack_plan plan = plan_stack(&request, &limits);
                    cr_assert(plan.size_bytes >= size, "%s: %zu shrank", m->name, size);
                    cr_assert(plan.guard_bytes >= m->page_bytes, "%s: no guard", m->name);
                    cr_assert(plan.guard_bytes >= request.guard_bytes);
                    cr_assert(plan.trampoline);
                    cr_assert_eq(plan.guarded, guard == 0);
                    /* A guard of ours brings its own bytes: usable size as asked before 2.27. */
                    cr_assert(plan.size_bytes - (plan.guard_bytes - request.guard_bytes) >= size);
                    if (plan.size_bytes + plan.guard_bytes >= m->thp_bytes) {
                        cr_assert(top_clearance(&plan, m->thp_bytes) > PLAN_TOP_CLEARANCE_BYTES,
                                  "%s: %zu + guard %zu ends %zu above a boundary", m->name, size,
                                  request.guard_bytes, top_clearance(&plan, m->thp_bytes));
                    }
                    /* glibc before 2.27 maps no more than the size. */
                    if (plan.size_bytes >= m->thp_bytes) {
                        cr_assert(plan.size_bytes % m->thp_bytes > PLAN_TOP_CLEARANCE_BYTES,
                                  "%s: %zu with guard %zu became %zu", m->name, size,
                                  request.guard_bytes, plan.size_bytes);
                    }
                }
            }
        }
    }
}

/* Tops that a kernel without alignment puts on a THP boundary, or a page above it, where the
 * first frames meet it, in a row of stacks made one below the other from `start` down. */
static unsigned tops_on_boundaries(const struct machine *machine, uintptr_t start, bool may_step)
{
    struct plan_limits limits = limits_of(machine);
    struct stack_request request = {.size_bytes = machine->thp_bytes};
    unsigned met = 0;
    uintptr_t top = start;
    for (int thread = 0; thread < 2100; thread++) {
        struct stack_plan plan = plan_stack(&request, &limits);
        limits.step_aside = false;
        if (top % machine->thp_bytes < 2 * machine->page_bytes) {
            met++;
            limits.step_aside = may_step;
        }
        top -= plan.size_bytes + plan.guard_bytes;
    }
    return met;
}

Test(plan, tops_of_a_row_walk_clear_of_boundaries)
{
    FOR_EACH_MACHINE(m)
    {
        unsigned most = 0, most_without_a_step = 0;
        for (size_t page = 0; page < m->thp_bytes / m->page_bytes; page++) {
            uintptr_t start = ((uintptr_t)1 << 46) - page * m->page_bytes;
            unsigned met = tops_on_boundaries(m, start, true);
            most = met > most ? met : most;
            met = tops_on_boundaries(m, start, false);
            most_without_a_step = met > most_without_a_step ? met : most_without_a_step;
        }
        cr_assert(most <= 1, "%s: %u tops of 2100 met a boundary", m->name, most);
        cr_assert(most_without_a_step > 1, "%s: no start meets boundaries: nothing was shown",
                  m->name);
    }
}

Test(plan, clearance_comes_before_the_walk)
{
    struct plan_limits limits = limits_of(&machines[0]);
    limits.step_aside = true;
    for (size_t guard = 0; guard <= 2 * MIB; guard += 4 * KIB) {
        struct stack_request request = {.size_bytes = 4 * MIB, .guard_bytes = guard};
        struct stack_plan plan = plan_stack(&request, &limits);
        cr_assert(top_clearance(&plan, 2 * MIB) > PLAN_TOP_CLEARANCE_BYTES,
                  "guard %zu: %zu above a boundary", guard, top_clearance(&plan, 2 * MIB));
        cr_assert(plan.size_bytes % (2 * MIB) > PLAN_TOP_CLEARANCE_BYTES);
    }
}

Test(plan, what_needs_no_change_is_left_as_it_is)
{
    struct plan_limits limits = limits_of(&machines[0]);
    struct stack_request request = {.size_bytes = 1 * MIB + 13, .guard_bytes = 4096};
    struct stack_plan plan = plan_stack(&request, &limits);
    cr_assert_not(plan.padded);
    cr_assert_not(plan.guarded);
    cr_assert_eq(plan.size_bytes, request.size_bytes);
    cr_assert_eq(plan.guard_bytes, request.guard_bytes);
}

Test(plan, short_stacks_get_a_guard_and_no_pad)
{
    struct plan_limits limits = limits_of(&machines[0]);
    struct stack_request request = {.size_bytes = 1 * MIB};
    struct stack_plan plan = plan_stack(&request, &limits);
    cr_assert(plan.guarded);
    cr_assert_not(plan.padded);
    cr_assert_eq(plan.size_bytes, 1 * MIB + 4096);
}

Test(plan, thpfix_guard_is_a_minimum)
{
    struct plan_limits limits = limits_of(&machines[0]);
    limits.guard_bytes = 60 * KIB + 1;
    struct stack_request small = {.size_bytes = 256 * KIB, .guard_bytes = 4096};
    struct stack_plan plan = plan_stack(&small, &limits);
    cr_assert_eq(plan.guard_bytes, 64 * KIB);
    cr_assert_eq(plan.size_bytes, 256 * KIB + 60 * KIB);
    struct stack_request large = {.size_bytes = 256 * KIB, .guard_bytes = 1 * MIB};
    plan = plan_stack(&large, &limits);
    cr_assert_not(plan.guarded);
    cr_assert_eq(plan.guard_bytes, 1 * MIB);
}

Test(plan, without_room_in_the_map_table_no_guard_is_added)
{
    struct plan_limits limits = limits_of(&machines[0]);
    limits.may_add_guard = false;
    struct stack_request request = {.size_bytes = 2 * MIB};
    struct stack_plan plan = plan_stack(&request, &limits);
    cr_assert_not(plan.guarded);
    cr_assert_eq(plan.guard_bytes, 0);
    cr_assert(plan.padded);
    cr_assert(plan.trampoline);
}

Test(plan, where_nothing_may_grow_only_the_trampoline_is_left)
{
    struct plan_limits limits = limits_of(&machines[0]);
    limits.may_add_guard = limits.may_pad = false;
    struct stack_request request = {.size_bytes = 2 * MIB};
    struct stack_plan plan = plan_stack(&request, &limits);
    cr_assert_eq(plan.size_bytes, 2 * MIB);
    cr_assert_eq(plan.guard_bytes, 0);
    cr_assert_not(plan.padded);
    cr_assert_not(plan.guarded);
    cr_assert(plan.trampoline);
}

Test(plan, sums_that_overflow_leave_the_request_to_glibc)
{
    FOR_EACH_MACHINE(m)
    {
        struct plan_limits limits = limits_of(m);
        const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX - m->page_bytes,
                                SIZE_MAX - 2 * m->page_bytes + 1,
                                align_down(SIZE_MAX, m->thp_bytes)};
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
            const size_t guards[] = {0, 4096, SIZE_MAX};
            for (size_t g = 0; g < 3; g++) {
                struct stack_request request = {.size_bytes = sizes[i], .guard_bytes = guards[g]};
                struct stack_plan plan = plan_stack(&request, &limits);
                cr_assert(plan.size_bytes >= request.size_bytes);
                cr_assert(plan.guard_bytes >= request.guard_bytes);
            }
        }
    }
}

Test(plan, callers_stacks_are_left_alone_unless_asked_for)
{
    struct plan_limits limits = limits_of(&machines[0]);
    struct stack_request request = {.size_bytes = 4 * MIB, .callers_stack = true};
    struct stack_plan plan = plan_stack(&request, &limits);
    cr_assert_not(plan.trampoline);
    cr_assert_not(plan.padded);
    cr_assert_not(plan.guarded);
    cr_assert_not(plan.flag_callers_stack);
    cr_assert_eq(plan.size_bytes, 4 * MIB);
    limits.user_stacks = true;
    plan = plan_stack(&request, &limits);
    cr_assert(plan.flag_callers_stack);
    cr_assert_not(plan.trampoline);
}

Test(encode, multiples_of_the_thp_size_come_back)
{
    FOR_EACH_MACHINE(m)
    {
        struct plan_limits limits = limits_of(m);
        for (size_t blocks = 1; blocks < 20; blocks++) {
            size_t size = blocks * m->thp_bytes;
            size_t stored = plan_encode_size(size, &limits);
            cr_assert(stored > size);
            cr_assert_neq(stored % m->thp_bytes, 0);
            cr_assert_eq(plan_decode_size(stored, &limits), size);
            /* What glibc makes of it: rounded down to the TLS alignment, at least 16. */
            cr_assert_eq(align_down(stored, 16) % m->page_bytes, 0);
            cr_assert((align_down(stored, 16) % m->thp_bytes) > PLAN_TOP_CLEARANCE_BYTES);
        }
    }
}

Test(encode, every_page_multiple_reads_back_as_set)
{
    struct plan_limits limits = limits_of(&machines[0]);
    for (size_t size = 0; size < 16 * MIB; size += 4096) {
        cr_assert_eq(plan_decode_size(plan_encode_size(size, &limits), &limits), size);
    }
}

Test(encode, of_all_sizes_only_the_marked_one_is_taken_for_another)
{
    struct plan_limits limits = limits_of(&machines[0]);
    size_t lost = 0;
    for (size_t size = 2 * MIB - 1; size < 4 * MIB; size++) {
        lost += plan_decode_size(plan_encode_size(size, &limits), &limits) != size;
    }
    cr_assert_eq(lost, 1);
}

Test(encode, near_the_top_nothing_wraps)
{
    struct plan_limits limits = limits_of(&machines[0]);
    size_t size = align_down(SIZE_MAX, 2 * MIB);
    cr_assert_eq(plan_encode_size(size, &limits),
                 align_down(SIZE_MAX, 2 * MIB) + 64 * KIB + 4096 + 13);
    cr_assert_eq(plan_encode_size(SIZE_MAX, &limits), SIZE_MAX);
    cr_assert_eq(plan_decode_size(0, &limits), 0);
    cr_assert_eq(plan_decode_size(13, &limits), 13);
}
