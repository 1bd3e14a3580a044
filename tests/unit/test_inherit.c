#include "shim/inherit.h"

#include <criterion/criterion.h>
#include <string.h>

Test(inherit, only_our_own_element_goes)
{
    const struct {
        const char *before, *after;
        bool removed;
    } cases[] = {
        {"/usr/lib/libthpfix.so", "", true},
        {"libthpfix.so", "", true},
        {"/usr/$LIB/libthpfix.so", "", true},
        {"/a.so:/usr/lib/libthpfix.so", "/a.so", true},
        {"/usr/lib/libthpfix.so:/a.so", "/a.so", true},
        {"/a.so:/x/libthpfix.so:/b.so", "/a.so:/b.so", true},
        {"/a.so /x/libthpfix.so /b.so", "/a.so /b.so", true},
        {"/x/libthpfix.so:/y/libthpfix.so", "", true},
        {"/a.so:/x/libthpfix.so:/y/libthpfix.so", "/a.so", true},
        {"/a.so:/b.so", "/a.so:/b.so", false},
        {"", "", false},
        {":", ":", false},
        {":/x/libthpfix.so:", ":", true},
        {"/x/notlibthpfix.so", "/x/notlibthpfix.so", false},
        {"/x/libthpfix.so.old", "/x/libthpfix.so.old", false},
        {"/libthpfix.so/a.so", "/libthpfix.so/a.so", false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char list[128];
        strcpy(list, cases[i].before);
        cr_assert_eq(inherit_remove_element(list), cases[i].removed, "'%s'", cases[i].before);
        cr_assert_str_eq(list, cases[i].after, "'%s' became '%s'", cases[i].before, list);
    }
}

Test(inherit, the_variable_goes_when_nothing_is_left)
{
    char home[] = "HOME=/", preload[] = "LD_PRELOAD=/x/libthpfix.so", path[] = "PATH=/bin";
    char *environment[] = {home, preload, path, NULL};
    inherit_remove(environment);
    cr_assert_eq(environment[0], home);
    cr_assert_eq(environment[1], path);
    cr_assert_null(environment[2]);
}

Test(inherit, what_others_set_stays)
{
    char other[] = "MY_LD_PRELOAD=/x/libthpfix.so", preload[] = "LD_PRELOAD=/a.so:/x/libthpfix.so";
    char empty[] = "LD_PRELOAD=";
    char *environment[] = {other, preload, empty, NULL};
    inherit_remove(environment);
    cr_assert_str_eq(environment[0], "MY_LD_PRELOAD=/x/libthpfix.so");
    cr_assert_str_eq(environment[1], "LD_PRELOAD=/a.so");
    cr_assert_eq(environment[2], empty);
    inherit_remove(NULL);
}
