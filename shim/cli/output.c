#include "shim/cli/output.h"
#include "shim/cli/message.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct sigaction inherited_sigpipe;

void output_begin(void)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    (void)sigaction(SIGPIPE, &ignore, &inherited_sigpipe);
}

void output_restore_signals(void)
{
    (void)sigaction(SIGPIPE, &inherited_sigpipe, NULL);
}

static int refuse(const char *command, int error)
{
    message(command, "cannot write to standard output: %s", strerror(error));
    return -error;
}

int output_check(const char *command)
{
    struct pollfd out = {.fd = STDOUT_FILENO};
    /* Of nothing: a full device and a closed descriptor tell all the same; a pipe does not. */
    if (write(STDOUT_FILENO, "", 0) != 0) {
        return refuse(command, errno);
    }
    bool broken = poll(&out, 1, 0) > 0 && (out.revents & POLLERR) != 0;
    return broken ? refuse(command, EPIPE) : 0;
}

int output_finish(const char *command)
{
    errno = 0;
    int earlier = ferror(stdout);
    int result = fflush(stdout);
    int error = errno;
    /* Some file systems (NFS, quotas) report a full disk at close only. */
    if (result == 0 && close(STDOUT_FILENO) != 0) {
        result = -1;
        error = errno;
    }
    if (earlier == 0 && result == 0) {
        return 0;
    }
    if (error == 0) { /* the stream remembers that a flush failed, but not why */
        message(command, "cannot write all of the output");
        return -EIO;
    }
    return refuse(command, error);
}
