/* Beside its counters the library leaves nothing in the process: no descriptor, signal
 * handler, thread, change of the environment, nor a process-wide opt-out of THP. */
#include "tests/e2e/behaviour/check.h"
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static int count_entries(const char *path)
{
    DIR *directory = opendir(path);
    CHECK(directory != NULL);
    int entries = 0;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        entries += entry->d_name[0] != '.';
    }
    closedir(directory);
    return entries;
}

/* A thread leaves its directory a moment after it could be joined. */
static void check_only_thread(void)
{
    for (int i = 0; i < 1000 && count_entries("/proc/self/task") != 1; i++) {
        usleep(1000);
    }
    CHECK_EQUAL(count_entries("/proc/self/task"), 1);
}

/* The C library's own two, for cancellation and for changes of user. */
#define INTERNAL_SIGNALS (UINT64_C(3) << 31)

static uint64_t signals(const char *field)
{
    char line[256], format[32];
    uint64_t mask = 0;
    int found = 0;
    FILE *file = fopen("/proc/self/status", "re");
    CHECK(file != NULL);
    snprintf(format, sizeof(format), "%s: %%" SCNx64, field);
    while (found != 1 && fgets(line, sizeof(line), file) != NULL) {
        found = sscanf(line, format, &mask);
    }
    fclose(file);
    CHECK_EQUAL(found, 1);
    return mask & ~INTERNAL_SIGNALS;
}

/* What the kernel was given at exec, against what the program sees. */
static void check_environment(void)
{
    static char initial[1 << 16];
    int fd = open("/proc/self/environ", O_RDONLY | O_CLOEXEC);
    CHECK(fd >= 0);
    ssize_t length = read(fd, initial, sizeof(initial));
    CHECK(length > 0 && length < (ssize_t)sizeof(initial));
    close(fd);
    char **entry = environ;
    for (const char *text = initial; text < initial + length; text += strlen(text) + 1) {
        CHECK(*entry != NULL);
        CHECK(strcmp(*entry, text) == 0);
        entry++;
    }
    CHECK(*entry == NULL);
}

static void check_all(void)
{
    /* Standard input, output, error, and the one of the look itself. */
    CHECK_EQUAL(count_entries("/proc/self/fd"), 4);
    CHECK_EQUAL(signals("SigCgt"), 0);
    CHECK_EQUAL(signals("SigBlk"), 0);
    check_only_thread();
    check_environment();
    CHECK_EQUAL(prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0), 0);
}

static void *nothing(void *argument)
{
    return argument;
}

int main(int argc, char **argv)
{
    if (argc == 1) {
        /* Again, without what was inherited beyond the standard three. */
        for (int fd = 3; fd < 1024; fd++) {
            (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
        }
        char clean[] = "clean", *command[] = {argv[0], clean, NULL};
        execv("/proc/self/exe", command);
        check_failed(__FILE__, __LINE__, "exec of itself");
    }
    check_all();
    pthread_attr_t attr;
    make_attr(&attr, (size_t)2 << 20, 0);
    for (int i = 0; i < 100; i++) {
        run_thread(i % 2 == 0 ? &attr : NULL, nothing, NULL);
    }
    CHECK_OK(pthread_attr_destroy(&attr));
    check_all();
    return finish();
}
