/* Another library's constructor makes threads before ours has run (argument "first"), or
 * after it ("second"), as the order of the two in LD_PRELOAD has it. */
#include "detect/counters_abi.h"
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/early.h"
#include <dlfcn.h>
#include <string.h>

static void *nothing(void *argument)
{
    return argument;
}

int main(int argc, char **argv)
{
    CHECK_EQUAL(argc, 2);
    const struct early_report *report = dlsym(RTLD_DEFAULT, "early_report");
    CHECK(report != NULL);
    CHECK(report->ran);
    CHECK_EQUAL(report->threads, 20);
    CHECK_EQUAL(report->library_loaded, library_expected());
    if (library_expected()) {
        bool early_is_second = strcmp(argv[1], "second") == 0;
        CHECK_EQUAL(report->library_had_started, early_is_second);
        CHECK_EQUAL(library_counters()->threads_seen, 20);
    }
    pthread_attr_t attr;
    make_attr(&attr, (size_t)2 << 20, 0);
    CHECK(run_thread(&attr, nothing, &attr) == &attr);
    return finish();
}
