#include "detect/process_tasks.h"
#include "detect/own_memory.h"
#include "detect/process_parse.h"
#include "detect/root_read.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Numbers only; anything else is no task. */
static bool parse_tid(const char *name, pid_t *ret_tid)
{
    char *end;
    errno = 0;
    long tid = strtol(name, &end, 10);
    if (end == name || *end != '\0' || errno != 0 || tid <= 0 || tid > INT32_MAX) {
        return false;
    }
    *ret_tid = (pid_t)tid;
    return true;
}

static int add_tid(struct process_tasks *tasks, size_t *room, pid_t tid)
{
    if (tasks->count == *room) {
        pid_t *tids = own_memory_grow(tasks->tids, room, 64, sizeof(*tids));
        if (tids == NULL) {
            return -ENOMEM;
        }
        tasks->tids = tids;
    }
    tasks->tids[tasks->count++] = tid;
    return 0;
}

static int compare_tids(const void *left, const void *right)
{
    pid_t a = *(const pid_t *)left, b = *(const pid_t *)right;
    return (a > b) - (a < b);
}

static int read_directory(int fd, struct process_tasks *tasks)
{
    _Alignas(struct dirent64) char buffer[32768];
    size_t room = 0;
    for (;;) {
        long length = syscall(SYS_getdents64, fd, buffer, sizeof(buffer));
        if (length < 0) {
            /* The process ended in the middle of it. */
            return errno == ENOENT ? -ESRCH : -errno;
        }
        if (length == 0) {
            return 0;
        }
        for (long at = 0; at < length;) {
            const struct dirent64 *entry = (const struct dirent64 *)(const void *)(buffer + at);
            pid_t tid;
            if (parse_tid(entry->d_name, &tid)) {
                int result = add_tid(tasks, &room, tid);
                if (result != 0) {
                    return result;
                }
            }
            at += entry->d_reclen;
        }
    }
}

static int list(int root, const char *path, struct process_tasks *ret_tasks)
{
    int fd = root_open(root, path);
    if (fd < 0) {
        return fd == -ENOENT ? -ESRCH : fd;
    }
    struct process_tasks tasks = {0};
    int result = read_directory(fd, &tasks);
    root_close(fd);
    if (result == 0 && tasks.count == 0) {
        result = -ESRCH;
    }
    if (result != 0) {
        process_free_tasks(&tasks);
        return result;
    }
    qsort(tasks.tids, tasks.count, sizeof(*tasks.tids), compare_tids);
    *ret_tasks = tasks;
    return 0;
}

int process_list_tasks(int root, pid_t pid, struct process_tasks *ret_tasks)
{
    char path[64];
    (void)snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    return list(root, path, ret_tasks);
}

int process_list_all(int root, struct process_tasks *ret_processes)
{
    return list(root, "/proc", ret_processes);
}

void process_free_tasks(struct process_tasks *tasks)
{
    free(tasks->tids);
    *tasks = (struct process_tasks){0};
}

static ssize_t read_task(int root, pid_t pid, pid_t tid, const char *file, char *buffer,
                         size_t size)
{
    char path[96];
    (void)snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", (int)pid, (int)tid, file);
    ssize_t length = root_read(root, path, buffer, size - 1);
    if (length < 0) {
        return length == -ENOENT ? -ESRCH : length;
    }
    buffer[length] = '\0';
    return length;
}

/* "running", or a system call's number and arguments, or -1; then, last but one, the
 * stack pointer. */
int process_parse_syscall(const char *text, size_t length, uint64_t *ret_pointer)
{
    char words[512];
    if (length >= sizeof(words)) {
        return -EINVAL;
    }
    memcpy(words, text, length);
    words[length] = '\0';
    if (strcmp(words, "running\n") == 0) {
        return -EBUSY;
    }
    char *state = NULL;
    const char *last = NULL, *last_but_one = NULL;
    for (char *word = strtok_r(words, " \n", &state); word != NULL;
         word = strtok_r(NULL, " \n", &state)) {
        last_but_one = last;
        last = word;
    }
    if (last_but_one == NULL || strncmp(last_but_one, "0x", 2) != 0) {
        return -EINVAL;
    }
    char *end;
    uint64_t pointer = strtoull(last_but_one, &end, 16);
    if (*end != '\0') {
        return -EINVAL;
    }
    if (pointer == 0) {
        return -ENODATA;
    }
    *ret_pointer = pointer;
    return 0;
}

int process_task_pointer(int root, pid_t pid, pid_t tid, uint64_t *ret_pointer)
{
    char text[512];
    ssize_t length = read_task(root, pid, tid, "syscall", text, sizeof(text));
    return length < 0 ? (int)length : process_parse_syscall(text, (size_t)length, ret_pointer);
}

void process_task_name(int root, pid_t pid, pid_t tid, char ret_name[PROCESS_TASK_NAME_BYTES])
{
    ssize_t length = read_task(root, pid, tid, "comm", ret_name, PROCESS_TASK_NAME_BYTES);
    length = length < 0 ? 0 : length;
    if (length > 0 && ret_name[length - 1] == '\n') {
        length--;
    }
    ret_name[length] = '\0';
    for (ssize_t i = 0; i < length; i++) {
        if ((unsigned char)ret_name[i] < ' ' || ret_name[i] == 0x7f) {
            ret_name[i] = '?';
        }
    }
}

int process_task_inner_id(int root, pid_t pid, pid_t tid, pid_t *ret_id)
{
    char text[8192];
    ssize_t result = read_task(root, pid, tid, "status", text, sizeof(text));
    if (result < 0) {
        return (int)result;
    }
    size_t length;
    const char *ids = process_status_value(text, "NSpid", &length);
    if (ids == NULL) {
        return -ENODATA; /* before Linux 4.1 */
    }
    const char *last = memrchr(ids, '\t', length);
    *ret_id = (pid_t)strtol(last != NULL ? last + 1 : ids, NULL, 10);
    return 0;
}
