#include "tests/e2e/behaviour/direct.h"

#include "tests/e2e/behaviour/check.h"
#include <dlfcn.h>
#include <string.h>

static void *find(void *library, const char *name)
{
    void *address = dlsym(library, name);
    CHECK(address != NULL);
    return address;
}

const struct direct *direct(void)
{
    static struct direct functions;
    if (functions.create != NULL) {
        return &functions;
    }
    /* Before 2.34 they are in a library of their own. */
    void *library = dlopen("libpthread.so.0", RTLD_NOW | RTLD_NOLOAD);
    if (library == NULL) {
        library = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
    }
    CHECK(library != NULL);
    functions.attr_setstacksize = find(library, "pthread_attr_setstacksize");
    functions.attr_getstacksize = find(library, "pthread_attr_getstacksize");
    functions.attr_getstack = find(library, "pthread_attr_getstack");
    functions.attr_setstackaddr = find(library, "pthread_attr_setstackaddr");
    functions.attr_setsigmask = dlsym(library, "pthread_attr_setsigmask_np");
    functions.create = find(library, "pthread_create");

    Dl_info ours;
    CHECK(dladdr(__extension__(void *) functions.create, &ours) != 0);
    CHECK(strstr(ours.dli_fname, "/libc.so") != NULL ||
          strstr(ours.dli_fname, "/libpthread.so") != NULL);
    return &functions;
}
