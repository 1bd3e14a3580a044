#include "detect/units.h"
#include <criterion/criterion.h>

Test(units, power_of_two)
{
    cr_assert(!is_power_of_two(0));
    cr_assert(is_power_of_two(1));
    cr_assert(is_power_of_two(4 * KIB));
    cr_assert(is_power_of_two((SIZE_MAX >> 1) + 1));
    cr_assert(!is_power_of_two(3));
    cr_assert(!is_power_of_two(4 * KIB + 1));
    cr_assert(!is_power_of_two(SIZE_MAX));
}

Test(units, aligning_down)
{
    cr_assert_eq(align_down(0, 4096), 0);
    cr_assert_eq(align_down(4095, 4096), 0);
    cr_assert_eq(align_down(4096, 4096), 4096);
    cr_assert_eq(align_down(UINTPTR_MAX, 4096), UINTPTR_MAX - 4095);
    cr_assert_eq(align_down(12345, 1), 12345);
}

Test(units, aligning_up)
{
    static const struct {
        uintptr_t n, alignment, aligned;
    } cases[] = {
        {0, 4096, 0},       {1, 4096, 4096},
        {4096, 4096, 4096}, {4097, 4096, 8192},
        {12345, 1, 12345},  {UINTPTR_MAX - 4095, 4096, UINTPTR_MAX - 4095}, /* the last that fits */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uintptr_t aligned = 99;
        cr_assert(align_up(cases[i].n, cases[i].alignment, &aligned), "case %zu", i);
        cr_assert_eq(aligned, cases[i].aligned, "case %zu: %#lx", i, aligned);
    }
}

Test(units, aligning_up_past_the_end_fails_and_leaves_the_output)
{
    uintptr_t aligned = 99;
    cr_assert(!align_up(UINTPTR_MAX, 4096, &aligned));
    cr_assert(!align_up(UINTPTR_MAX - 4094, 4096, &aligned));
    cr_assert_eq(aligned, 99);
}

Test(units, pmd_size_follows_from_the_page_size)
{
    cr_assert_eq(pmd_bytes_from_page(4 * KIB), 2 * MIB);
    cr_assert_eq(pmd_bytes_from_page(16 * KIB), 32 * MIB);
    cr_assert_eq(pmd_bytes_from_page(64 * KIB), 512 * MIB);
}
