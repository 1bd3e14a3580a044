#include "shim/cli/process_error.h"
#include "shim/cli/message.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void process_error_message(const char *command, pid_t pid, int error)
{
    switch (error) {
    case -ESRCH:
        message(command, "no process %d, or it has just ended", (int)pid);
        break;
    case -ENODATA:
        message(command, "process %d is a zombie: it has ended, and only waits for its parent",
                (int)pid);
        break;
    case -ENOTSUP:
        message(command, "process %d is a thread of the kernel: it has no memory of its own",
                (int)pid);
        break;
    case -EACCES:
    case -EPERM:
        message(command, "not permitted to look into process %d: %s", (int)pid,
                geteuid() != 0 ? "run it as root, or with CAP_SYS_PTRACE"
                               : "root is not enough, it takes CAP_SYS_PTRACE over that process");
        break;
    case -ENOSYS:
        message(command, "process_vm_readv is not available here (a seccomp filter?)");
        break;
    default:
        message(command, "cannot read process %d: %s", (int)pid, strerror(-error));
        break;
    }
}

int process_parse_pid(const char *command, const char *text, pid_t *ret_pid)
{
    char *end;
    errno = 0;
    long pid = strtol(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || pid <= 0 || pid > INT_MAX) {
        message(command, "'%s' is no PID", text);
        return -EINVAL;
    }
    *ret_pid = (pid_t)pid;
    return 0;
}

int process_take_pid(const char *command, char **arguments, pid_t *ret_pid)
{
    if (arguments[0] == NULL) {
        message(command, "which process? 'thpfix %s PID'", command);
        return -EINVAL;
    }
    if (arguments[1] != NULL) {
        message(command, "unexpected argument '%s': it takes one PID", arguments[1]);
        return -EINVAL;
    }
    return process_parse_pid(command, arguments[0], ret_pid);
}
