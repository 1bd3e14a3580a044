#include "shim/cli/sanitizer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

bool sanitizer_is_runtime(const char *needed)
{
    static const char *const gcc[] = {"libasan.so", "libhwasan.so", "liblsan.so", "libtsan.so",
                                      "libubsan.so"};
    static const char *const clang[] = {"asan", "hwasan", "lsan", "msan", "tsan", "ubsan"};
    static const char clang_prefix[] = "libclang_rt.";
    for (size_t i = 0; i < sizeof(gcc) / sizeof(gcc[0]); i++) {
        if (strncmp(needed, gcc[i], strlen(gcc[i])) == 0) {
            return true;
        }
    }
    if (strncmp(needed, clang_prefix, strlen(clang_prefix)) != 0) {
        return false;
    }
    needed += strlen(clang_prefix);
    for (size_t i = 0; i < sizeof(clang) / sizeof(clang[0]); i++) {
        size_t length = strlen(clang[i]);
        /* asan.so, asan-x86_64.so, ubsan_standalone.so */
        if (strncmp(needed, clang[i], length) == 0 && needed[length] != '\0' &&
            strchr(".-_", needed[length]) != NULL) {
            return true;
        }
    }
    return false;
}

const char *sanitizer_of_symbol(const char *symbol)
{
    static const struct {
        const char *symbol, *sanitizer;
    } known[] = {
        {"__asan_init", "address"}, {"__hwasan_init", "hardware-assisted address"},
        {"__lsan_init", "leak"},    {"__msan_init", "memory"},
        {"__tsan_init", "thread"},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(symbol, known[i].symbol) == 0) {
            return known[i].sanitizer;
        }
    }
    return NULL;
}

int sanitizer_path_in_line(const char *line, const char *needed, size_t *ret_start,
                           size_t *ret_length)
{
    static const char arrow[] = " => ";
    size_t start = strspn(line, "\t ");
    size_t needed_length = strlen(needed);
    const char *end = strstr(line + start, " (0x");
    if (end == NULL) {
        return -ENOENT; /* "not found" */
    }
    if (strncmp(line + start, needed, needed_length) == 0 &&
        strncmp(line + start + needed_length, arrow, strlen(arrow)) == 0) {
        start += needed_length + strlen(arrow);
    }
    size_t length = (size_t)(end - (line + start));
    /* A path alone: it is in LD_PRELOAD, or needed by its path. */
    if (line[start] != '/' || length <= needed_length ||
        end[-(ptrdiff_t)needed_length - 1] != '/' ||
        memcmp(end - needed_length, needed, needed_length) != 0) {
        return -ENOENT;
    }
    *ret_start = start;
    *ret_length = length;
    return 0;
}

static int start_loader(const char *loader, const char *program, pid_t *ret_pid, int *ret_fd)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return -errno;
    }
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) {
        (void)close(ends[0]);
        (void)close(ends[1]);
        return -error;
    }
    /* Cast: the arguments of exec are not changed, only declared so. */
    char *arguments[] = {(char *)(uintptr_t)loader, (char *)(uintptr_t) "--list",
                         (char *)(uintptr_t)program, NULL};
    error = posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    if (error == 0) {
        error = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    }
    pid_t pid = -1;
    if (error == 0) {
        error = posix_spawn(&pid, loader, &actions, NULL, arguments, environ);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)close(ends[1]);
    if (error != 0) {
        (void)close(ends[0]);
        return -error;
    }
    *ret_pid = pid;
    *ret_fd = ends[0];
    return 0;
}

int sanitizer_resolve(const char *loader, const char *program, const char *needed, char *ret_path,
                      size_t size)
{
    pid_t pid = -1;
    int fd = -1;
    int result = start_loader(loader, program, &pid, &fd);
    if (result != 0) {
        return result;
    }
    FILE *list = fdopen(fd, "r");
    if (list == NULL) {
        (void)close(fd);
    }
    result = -ENOENT;
    char line[PATH_MAX + 256];
    while (list != NULL && fgets(line, sizeof(line), list) != NULL) { /* all: no SIGPIPE there */
        size_t start, length;
        if (result != 0 && sanitizer_path_in_line(line, needed, &start, &length) == 0 &&
            length < size) {
            memcpy(ret_path, line + start, length);
            ret_path[length] = '\0';
            result = 0;
        }
    }
    if (list != NULL) {
        (void)fclose(list);
    }
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
    }
    return result;
}
