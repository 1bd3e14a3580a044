#include "shim/cli/preload_list.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define OURS "/opt/lib/libthpfix.so"

static void expect_merged(const char *current, const char *first, const char *second,
                          const char *wanted)
{
    const char *runtimes[] = {first, second};
    size_t count = (first != NULL) + (second != NULL);
    char *list = NULL;
    cr_assert_eq(preload_list_merge(current, OURS, runtimes, count, &list), 0);
    cr_expect_str_eq(list, wanted, "%s: %s, not %s", current != NULL ? current : "(unset)", list,
                     wanted);
    free(list);
}

Test(preload_list, ours_in_front_the_rest_kept)
{
    expect_merged(NULL, NULL, NULL, OURS);
    expect_merged("", NULL, NULL, OURS);
    expect_merged(" : ", NULL, NULL, OURS);
    expect_merged("/a.so", NULL, NULL, OURS ":/a.so");
    expect_merged("/a.so b.so:/c.so:", NULL, NULL, OURS ":/a.so:b.so:/c.so");
    expect_merged(":/a.so", NULL, NULL, OURS ":/a.so");
}

Test(preload_list, never_twice)
{
    expect_merged(OURS, NULL, NULL, OURS);
    expect_merged("/a.so:" OURS, NULL, NULL, "/a.so:" OURS);
    expect_merged(OURS ":/a.so:" OURS, NULL, NULL, OURS ":/a.so");
    expect_merged("libthpfix.so", NULL, NULL, OURS);
    expect_merged("/a.so:/usr/$LIB/libthpfix.so:/b.so", NULL, NULL, "/a.so:" OURS ":/b.so");
    /* Other libraries whose names are alike. */
    expect_merged("/x/mylibthpfix.so", NULL, NULL, OURS ":/x/mylibthpfix.so");
    expect_merged("/x/libthpfix.so.bak", NULL, NULL, OURS ":/x/libthpfix.so.bak");
    expect_merged("/libthpfix.so/x.so", NULL, NULL, OURS ":/libthpfix.so/x.so");
}

Test(preload_list, runtimes_first)
{
    expect_merged(NULL, "/lib/libasan.so.8", NULL, "/lib/libasan.so.8:" OURS);
    expect_merged("/a.so", "/lib/libasan.so.8", "libubsan.so.1",
                  "/lib/libasan.so.8:libubsan.so.1:" OURS ":/a.so");
    expect_merged("/a.so:/lib/libasan.so.8", "/lib/libasan.so.8", NULL,
                  "/lib/libasan.so.8:" OURS ":/a.so");
    expect_merged(OURS ":/a.so:libasan.so.8", "/lib/libasan.so.8", NULL,
                  "/lib/libasan.so.8:" OURS ":/a.so");
    expect_merged("/lib/libasan.so.8:/a.so:" OURS, "/lib/libasan.so.8", NULL,
                  "/lib/libasan.so.8:/a.so:" OURS);
}

Test(preload_list, many_elements_fit)
{
    char current[8192] = "";
    for (size_t i = 0; i < 400; i++) {
        strcat(current, "l:libthpfix.so ");
    }
    char *list = NULL;
    cr_assert_eq(preload_list_merge(current, OURS, NULL, 0, &list), 0);
    cr_expect_eq(strlen(list), 400 * strlen("l:") + strlen(OURS));
    free(list);
}

Test(preload_list, what_it_cannot_hold)
{
    cr_expect(preload_list_can_hold(OURS));
    cr_expect(preload_list_can_hold("/usr/$LIB/x.so"));
    cr_expect(preload_list_can_hold("/a\tb.so"), "ld.so does not split at tabs");
    cr_expect_not(preload_list_can_hold("/a b/x.so"));
    cr_expect_not(preload_list_can_hold("/a:b/x.so"));
    cr_expect_not(preload_list_can_hold("/x.so "));
    cr_expect_not(preload_list_can_hold(""));
}
