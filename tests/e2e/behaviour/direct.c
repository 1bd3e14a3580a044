#include "tests/e2e/behaviour/direct.h"

#include "tests/e2e/behaviour/check.h"
#include <dlfcn.h>
#include <string.h>

static void *find(void *libc, const char *name)
{
    void *address = dlsym(libc, name);
    CHECK(address != NULL);
    return address;
}

const struct direct *direct(void)
{
    static struct direct functions;
    if (functions.create != NULL) {
        return &functions;
    }
    void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
    CHECK(libc != NULL);
    functions.attr_setstacksize = find(libc, "pthread_attr_setstacksize");
    functions.attr_getstacksize = find(libc, "pthread_attr_getstacksize");
    functions.attr_getstack = find(libc, "pthread_attr_getstack");
    functions.attr_setstackaddr = find(libc, "pthread_attr_setstackaddr");
    functions.create = find(libc, "pthread_create");

    Dl_info ours;
    CHECK(dladdr(__extension__(void *) functions.create, &ours) != 0);
    CHECK(strstr(ours.dli_fname, "libc.so") != NULL);
    return &functions;
}
