/* A library that makes threads is loaded and unloaded again and again; with
 * RTLD_DEEPBIND its threads go past libthpfix.so, and work as well. */
#include "detect/counters_abi.h"
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/plugin.h"
#include <dlfcn.h>

static void load_run_unload(const char *path, int flags, const pthread_attr_t *attr)
{
    void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL | flags);
    CHECK(plugin != NULL);
    plugin_run_threads_function *run = dlsym(plugin, "plugin_run_threads");
    CHECK(run != NULL);
    CHECK_EQUAL(run(NULL), 10);
    CHECK_EQUAL(run(attr), 10);
    CHECK_OK(dlclose(plugin));
    /* Nothing of ours keeps it loaded. */
    CHECK(dlopen(path, RTLD_NOW | RTLD_NOLOAD) == NULL);
}

int main(int argc, char **argv)
{
    CHECK_EQUAL(argc, 2);
    const struct counters *counters = library_counters();
    pthread_attr_t attr;
    make_attr(&attr, (size_t)2 << 20, 0);
    for (int i = 0; i < 50; i++) {
        load_run_unload(argv[1], 0, &attr);
    }
    unsigned long long seen = counters != NULL ? counters->threads_seen : 0;
    for (int i = 0; i < 50; i++) {
        load_run_unload(argv[1], RTLD_DEEPBIND, &attr);
    }
    if (library_expected()) {
        CHECK_EQUAL(seen, 50 * 2 * 10);
        CHECK_EQUAL(counters->threads_seen, seen);
    }
    CHECK_OK(pthread_attr_destroy(&attr));
    return finish();
}
