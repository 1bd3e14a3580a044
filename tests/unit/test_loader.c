#include "shim/loader.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stddef.h>

Test(loader, finds_what_there_is)
{
    cr_assert_not_null(loader_symbol(RTLD_DEFAULT, "dlerror"));
}

/* The program would take it for the failure of a call of its own. */
Test(loader, a_failure_leaves_nothing_for_dlerror)
{
    const char *why = NULL;
    (void)dlerror();
    cr_assert_null(loader_symbol(RTLD_DEFAULT, "no_library_has_this_name"));
    cr_assert_null(dlerror());
    cr_assert_null(loader_open("/no/such/library.so", RTLD_NOW, NULL));
    cr_assert_null(dlerror());
    cr_assert_null(loader_open("/no/such/library.so", RTLD_NOW, &why));
    cr_assert_not_null(why);
    cr_assert_null(dlerror());
}

Test(loader, dlsym_itself_leaves_something)
{
    (void)dlerror();
    cr_assert_null(dlsym(RTLD_DEFAULT, "no_library_has_this_name"));
    cr_assert_not_null(dlerror());
}
