#include "shim/cli/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define OUTPUT_BYTES_MAX ((off_t)4 << 20)

/* Our own preloads and settings are not those of the command. */
static char **clean_environment(void)
{
    size_t count = 0, kept = 0;
    while (environ[count] != NULL) {
        count++;
    }
    char **result = calloc(count + 2, sizeof(*result));
    for (size_t i = 0; result != NULL && i < count; i++) {
        if (strncmp(environ[i], "LD_PRELOAD=", 11) != 0 && strncmp(environ[i], "LC_ALL=", 7) != 0 &&
            strncmp(environ[i], "SYSTEMD_", 8) != 0) {
            result[kept++] = environ[i];
        }
    }
    if (result != NULL) {
        result[kept] = (char *)(uintptr_t) "LC_ALL=C"; /* not changed, only declared so */
    }
    return result;
}

static int start(const char *const *arguments, int out, int err, pid_t *ret_pid)
{
    posix_spawn_file_actions_t actions;
    char **environment = clean_environment();
    int error = environment != NULL ? posix_spawn_file_actions_init(&actions) : ENOMEM;
    if (error != 0) {
        free(environment);
        return -error;
    }
    error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    error = error != 0 ? error : posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    error = error != 0 ? error : posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
    if (error == 0) {
        error = posix_spawnp(ret_pid, arguments[0], &actions, NULL,
                             (char *const *)(uintptr_t)arguments, environment);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    free(environment);
    return -error;
}

static int take_text(int fd, char **ret_text)
{
    off_t size = lseek(fd, 0, SEEK_END);
    if (size < 0 || size > OUTPUT_BYTES_MAX) {
        return size < 0 ? -errno : -EFBIG;
    }
    char *text = malloc((size_t)size + 1);
    if (text == NULL) {
        return -ENOMEM;
    }
    ssize_t length = pread(fd, text, (size_t)size, 0);
    if (length < 0) {
        int error = errno;
        free(text);
        return -error;
    }
    text[length] = '\0';
    *ret_text = text;
    return 0;
}

/* memfd_create(2), which glibc has from 2.27 on. */
static int open_memory(const char *name)
{
    return (int)syscall(__NR_memfd_create, name, MFD_CLOEXEC);
}

int capture(const char *const *arguments, char **ret_out, char **ret_err, int *ret_status)
{
    /* Files, not pipes: nobody has to read both at once. */
    int out = open_memory("stdout"), err = open_memory("stderr");
    int result = out < 0 || err < 0 ? -errno : 0, status = 0;
    char *out_text = NULL, *err_text = NULL;
    pid_t pid = -1;
    result = result != 0 ? result : start(arguments, out, err, &pid);
    while (result == 0 && waitpid(pid, &status, 0) < 0) {
        result = errno == EINTR ? 0 : -errno;
    }
    result = result != 0 ? result : take_text(out, &out_text);
    result = result != 0 ? result : take_text(err, &err_text);
    if (out >= 0) {
        (void)close(out);
    }
    if (err >= 0) {
        (void)close(err);
    }
    if (result != 0 || err_text == NULL) {
        free(out_text);
        return result;
    }
    err_text[strcspn(err_text, "\n")] = '\0';
    *ret_out = out_text;
    *ret_err = err_text;
    *ret_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return 0;
}
