/* A program that is started with standard input, output and error closed opens a file of
 * its own, which becomes its standard error: not a byte of the library's gets into it. */
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/child.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void *nothing(void *argument)
{
    return argument;
}

static int with_own_file(const char *path)
{
    for (int fd = 0; fd <= STDERR_FILENO; fd++) {
        CHECK_EQUAL(open(path, O_WRONLY | O_APPEND), fd);
    }
    pthread_attr_t attr;
    make_attr(&attr, (size_t)2 << 20, 0);
    run_thread(&attr, nothing, NULL);
    run_thread(NULL, nothing, NULL);
    return finish();
}

static void start_with_streams_closed(void *path)
{
    char name[] = "closed_streams", *command[] = {name, path, NULL};
    for (int fd = 0; fd <= STDERR_FILENO; fd++) {
        close(fd);
    }
    execv("/proc/self/exe", command);
}

int main(int argc, char **argv)
{
    if (argc == 2) {
        return with_own_file(argv[1]);
    }
    char path[] = "/tmp/behaviour-data-XXXXXX", text[1024] = "";
    int fd = mkostemp(path, O_CLOEXEC);
    CHECK(fd >= 0);
    int status = child_run(start_with_streams_closed, path);
    ssize_t length = pread(fd, text, sizeof(text) - 1, 0);
    CHECK_OK(unlink(path));
    if (length != 0) {
        fprintf(stderr, "in the file: %s\n", text);
    }
    CHECK_EQUAL(length, 0);
    CHECK_EQUAL(status, 0);
    run_thread(NULL, nothing, NULL);
    return finish();
}
