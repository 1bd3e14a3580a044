#include "detect/process_parse.h"
#include "detect/root_read.h"
#include "shim/cli/heal.h"
#include "shim/cli/heal_code.h"
#include "shim/cli/heal_room.h"
#include "shim/cli/message.h"
#include "shim/cli/process_error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int read_status(pid_t pid, char *text, size_t size)
{
    char path[64];
    (void)snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
    ssize_t length = root_read(ROOT_HOST, path, text, size - 1);
    if (length < 0) {
        return (int)length;
    }
    text[length] = '\0';
    return 0;
}

static long status_number(const char *text, const char *name)
{
    size_t length;
    const char *value = process_status_value(text, name, &length);
    return value != NULL ? strtol(value, NULL, 10) : 0;
}

static bool status_has(const char *text, const char *name, const char *word)
{
    size_t length;
    const char *value = process_status_value(text, name, &length);
    return value != NULL && memmem(value, length, word, strlen(word)) != NULL;
}

/* 0, or -EPERM, the complaint being made. */
static int check_status(pid_t pid, const char *text)
{
    long tracer = status_number(text, "TracerPid");
    if (tracer != 0) {
        message("heal",
                "process %d is traced by process %ld already (a debugger, strace): end that first",
                (int)pid, tracer);
        return -EPERM;
    }
    if (status_has(text, "State", "T (")) {
        message("heal", "process %d is stopped: let it go on first, with 'kill -CONT %d'", (int)pid,
                (int)pid);
        return -EPERM;
    }
    if (status_number(text, "Seccomp") != 0) {
        message("heal",
                "process %d is confined by seccomp: it might be killed for calling madvise; "
                "start it with 'thpfix run' instead",
                (int)pid);
        return -EPERM;
    }
    if (status_has(text, "x86_Thread_features", "shstk")) {
        message("heal",
                "process %d has a shadow stack, which forbids what heal does; start it with "
                "'thpfix run' instead",
                (int)pid);
        return -EPERM;
    }
    return 0;
}

int heal_check(const struct inspection *inspection, uint64_t *ret_code_room)
{
    char text[8192];
    pid_t pid = inspection->identity.pid, tid = inspection->identity.memory_tid;
    if (!heal_code_supported()) {
        message("heal", "not possible on this architecture, only on x86-64 and arm64");
        return -ENOTSUP;
    }
    /* Where the libpthread of its own is that tells of threads, who has none has not loaded it. */
    bool alone = inspection->identity.threads == 1 && inspection->threads_error == -ENOENT;
    if (inspection->threads_error != 0 && !alone) {
        message("heal", "the threads of process %d cannot be told: %s", (int)pid,
                inspection->threads_error == -ENOTSUP ? "it is a 32-bit program"
                : inspection->threads_error == -ENOENT
                    ? "it is a static program, or has another C library than glibc"
                    : strerror(-inspection->threads_error));
        return inspection->threads_error;
    }
    int result = read_status(pid, text, sizeof(text));
    if (result != 0) {
        process_error_message("heal", pid, result);
        return result;
    }
    result = check_status(pid, text);
    if (result != 0) {
        return result;
    }
    if (alone) {
        return 0; /* nothing will run there */
    }
    result = heal_room_find(tid, heal_code, heal_code_bytes, ret_code_room);
    if (result == -ENOSPC || result == -ENOENT) {
        message("heal", "the C library of process %d has no room for the instructions", (int)pid);
    } else if (result != 0) {
        process_error_message("heal", pid, result);
    }
    return result;
}

void heal_refused_message(pid_t pid)
{
    char text[16] = "";
    ssize_t length =
        root_read(ROOT_HOST, "/proc/sys/kernel/yama/ptrace_scope", text, sizeof(text) - 1);
    text[length > 0 ? length : 0] = '\0';
    if (text[0] == '3') {
        message("heal",
                "not permitted: kernel.yama.ptrace_scope is 3, which forbids ptrace until "
                "the next boot; process %d was not touched",
                (int)pid);
    } else if (text[0] >= '1' && geteuid() != 0) {
        message("heal",
                "not permitted: kernel.yama.ptrace_scope is %c: run it as root; "
                "process %d was not touched",
                text[0], (int)pid);
    } else {
        message("heal",
                "not permitted to trace process %d, or another traces it: it takes "
                "CAP_SYS_PTRACE over it; it was not touched",
                (int)pid);
    }
}
