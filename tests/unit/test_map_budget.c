#include "shim/map_budget.h"

#include <criterion/criterion.h>
#include <stdint.h>

Test(map_budget, an_eighth_stays_free_and_half_of_the_rest)
{
    cr_assert_eq(map_budget_share(0, 65536), (65536 - 8192) / 4);
    cr_assert_eq(map_budget_share(20000, 65536), (65536 - 8192 - 20000) / 4);
}

Test(map_budget, near_the_limit_no_more_guards)
{
    cr_assert_eq(map_budget_share(65536, 65536), 0);
    cr_assert_eq(map_budget_share(70000, 65536), 0);
    cr_assert_eq(map_budget_share(65536 - 8192, 65536), 0);
    cr_assert_eq(map_budget_share(65536 - 8192 - 4095, 65536), 0);
    cr_assert_neq(map_budget_share(65536 - 8192 - 4096, 65536), 0);
    cr_assert_eq(map_budget_share(0, 0), 0);
    cr_assert_eq(map_budget_share(SIZE_MAX, SIZE_MAX), 0);
}

Test(map_budget, a_share_never_reaches_into_the_reserve)
{
    for (size_t limit = 0; limit < 200000; limit += 997) {
        for (size_t mappings = 0; mappings < 200000; mappings += 1009) {
            size_t share = map_budget_share(mappings, limit);
            cr_assert(share == 0 || mappings + 2 * share <= limit - limit / 8);
        }
    }
}
