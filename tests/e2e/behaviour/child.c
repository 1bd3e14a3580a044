#include "tests/e2e/behaviour/child.h"

#include "tests/e2e/behaviour/check.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define HANG_SECONDS 60

/* Fork without what stdio still holds: a child that exits would write it again. */
static pid_t fork_guarded(void)
{
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        alarm(HANG_SECONDS);
    }
    return pid;
}

static int wait_for(pid_t pid)
{
    int status;
    CHECK_EQUAL(waitpid(pid, &status, 0), pid);
    return status;
}

int child_run(void (*body)(void *), void *context)
{
    pid_t pid = fork_guarded();
    if (pid == 0) {
        body(context);
        _exit(EXIT_SUCCESS);
    }
    return wait_for(pid);
}

void child_must_succeed(void (*body)(void *), void *context)
{
    CHECK_EQUAL(child_run(body, context), 0);
}

long child_number(long (*body)(void *), void *context)
{
    int ends[2];
    CHECK_OK(pipe(ends));
    pid_t pid = fork_guarded();
    if (pid == 0) {
        long number = body(context);
        CHECK_EQUAL(write(ends[1], &number, sizeof(number)), sizeof(number));
        _exit(EXIT_SUCCESS);
    }
    long number;
    CHECK_EQUAL(wait_for(pid), 0);
    CHECK_EQUAL(read(ends[0], &number, sizeof(number)), sizeof(number));
    close(ends[0]);
    close(ends[1]);
    return number;
}

bool child_can_drop_root(void)
{
    return geteuid() == 0;
}

void child_drop_root(void)
{
    /* A user of its own: RLIMIT_NPROC and RLIMIT_MEMLOCK count per user, and other
     * tests may run at the same time. */
    uid_t user = 1000000 + (uid_t)getpid();
    CHECK_OK(setresgid(user, user, user));
    CHECK_OK(setresuid(user, user, user));
}

static void read_all(int fd, char *buffer)
{
    ssize_t length = pread(fd, buffer, CHILD_OUTPUT_BYTES, 0);
    CHECK(length >= 0 && length < CHILD_OUTPUT_BYTES);
    buffer[length] = '\0';
    close(fd);
}

static void apply(const char *setting)
{
    const char *equals = strchr(setting, '=');
    if (equals == NULL) {
        CHECK_OK(unsetenv(setting));
        return;
    }
    char *name = strndup(setting, (size_t)(equals - setting));
    CHECK(name != NULL);
    CHECK_OK(setenv(name, equals + 1, 1));
    free(name);
}

void child_exec(const char *const command[], const char *const settings[],
                struct child_output *ret_output)
{
    int out = memfd_create("out", MFD_CLOEXEC);
    int err = memfd_create("err", MFD_CLOEXEC);
    CHECK(out >= 0 && err >= 0);
    pid_t pid = fork_guarded();
    if (pid == 0) {
        for (; *settings != NULL; settings++) {
            apply(*settings);
        }
        CHECK(dup2(out, STDOUT_FILENO) >= 0 && dup2(err, STDERR_FILENO) >= 0);
        char *arguments[16];
        size_t count = 0;
        CHECK(command[0] != NULL);
        for (; command[count] != NULL; count++) {
            CHECK(count < sizeof(arguments) / sizeof(arguments[0]) - 1);
            arguments[count] = strdup(command[count]);
        }
        arguments[count] = NULL;
        execv(arguments[0], arguments);
        check_failed(__FILE__, __LINE__, arguments[0]);
    }
    ret_output->pid = pid;
    ret_output->status = wait_for(pid);
    read_all(out, ret_output->out);
    read_all(err, ret_output->err);
}
