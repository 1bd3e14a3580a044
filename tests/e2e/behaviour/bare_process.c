/* The first thread of a process that has lost what the library would read or use: the
 * root directory has no /proc and no /sys, or there is no descriptor left. */
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/child.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static void *nothing(void *argument)
{
    CHECK_EQUAL(errno, 0);
    return argument;
}

static void make_threads(void)
{
    static const size_t sizes[] = {(size_t)128 << 10, (size_t)2 << 20, (size_t)8 << 20};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        pthread_attr_t attr;
        errno = 0;
        make_attr(&attr, sizes[i], 0);
        CHECK(run_thread(&attr, nothing, &attr) == &attr);
        CHECK(run_thread(NULL, nothing, &attr) == &attr);
        CHECK_OK(pthread_attr_destroy(&attr));
        CHECK_EQUAL(errno, 0);
    }
}

static void in_empty_root(void *directory)
{
    CHECK_OK(chroot(directory));
    CHECK_OK(chdir("/"));
    make_threads();
    CHECK_EQUAL(finish(), 0);
}

static void without_descriptors(void *context)
{
    struct rlimit limit = {64, 64};
    (void)context;
    CHECK_OK(setrlimit(RLIMIT_NOFILE, &limit));
    while (open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0) {
    }
    CHECK_EQUAL(errno, EMFILE);
    make_threads();
    CHECK_EQUAL(finish(), 0);
    /* Nor has anything been closed. */
    CHECK(open("/dev/null", O_RDONLY | O_CLOEXEC) < 0);
}

static void without_standard_streams(void *context)
{
    (void)context;
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    close(STDERR_FILENO);
    make_threads();
    CHECK(open("/dev/null", O_RDONLY | O_CLOEXEC) == STDIN_FILENO);
}

int main(void)
{
    char directory[] = "/tmp/behaviour-empty-XXXXXX";
    child_must_succeed(without_descriptors, NULL);
    child_must_succeed(without_standard_streams, NULL);
    if (geteuid() != 0) {
        skip("needs root, to change the root directory; the rest passed");
    }
    CHECK(mkdtemp(directory) != NULL);
    int status = child_run(in_empty_root, directory);
    CHECK_OK(rmdir(directory));
    CHECK_EQUAL(status, 0);
    make_threads();
    return finish();
}
