#include "detect/process.h"
#include "detect/process_parse.h"
#include "detect/process_tasks.h"
#include "detect/root_read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int read_text(int root, pid_t pid, const char *file, char *buffer, size_t size)
{
    char path[64];
    (void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
    ssize_t length = root_read(root, path, buffer, size - 1);
    if (length < 0) {
        return length == -ENOENT ? -ESRCH : (int)length;
    }
    buffer[length] = '\0';
    return (int)length;
}

/* The task's own file: that of the process adds up the times of all threads first. */
static int read_stat(int root, pid_t pid, struct process_stat *ret_stat)
{
    char text[2048], file[32];
    (void)snprintf(file, sizeof(file), "task/%d/stat", (int)pid);
    int length = read_text(root, pid, file, text, sizeof(text));
    if (length < 0) {
        return length;
    }
    return process_parse_stat(text, (size_t)length, ret_stat);
}

static void read_status(int root, pid_t pid, struct process_identity *identity)
{
    char text[8192];
    size_t length;
    if (read_text(root, pid, "status", text, sizeof(text)) < 0) {
        return;
    }
    const char *ids = process_status_value(text, "Uid", &length);
    if (ids != NULL) {
        char *effective; /* the second; the first is the real one */
        (void)strtoul(ids, &effective, 10);
        identity->uid = (uid_t)strtoul(effective, NULL, 10);
    }
    const char *pids = process_status_value(text, "NSpid", &length);
    identity->in_pid_namespace = pids != NULL && memchr(pids, '\t', length) != NULL;
}

/* The first thread has ended: another one's files show the memory. */
static int find_living_task(int root, pid_t pid, pid_t *ret_tid)
{
    struct process_tasks tasks;
    int result = process_list_tasks(root, pid, &tasks);
    if (result != 0) {
        return result;
    }
    result = -ENODATA;
    for (size_t i = 0; i < tasks.count; i++) {
        struct process_stat stat;
        if (read_stat(root, tasks.tids[i], &stat) == 0 && stat.state != 'Z' && stat.state != 'X') {
            *ret_tid = tasks.tids[i];
            result = 0;
            break;
        }
    }
    process_free_tasks(&tasks);
    return result;
}

int process_identify(int root, pid_t pid, struct process_identity *ret_identity)
{
    struct process_stat stat;
    struct process_identity identity = {.pid = pid, .memory_tid = pid};
    int result = read_stat(root, pid, &stat);
    if (result != 0) {
        return result;
    }
    memcpy(identity.name, stat.name, sizeof(identity.name));
    identity.threads = stat.threads;
    identity.start_ticks = stat.start_ticks;
    identity.rss_bytes = stat.rss_pages * (uint64_t)sysconf(_SC_PAGESIZE);
    if (stat.kernel_thread) {
        return -ENOTSUP;
    }
    if (stat.state == 'Z' || stat.state == 'X') {
        result = find_living_task(root, pid, &identity.memory_tid);
        if (result != 0) {
            return result;
        }
    }
    read_status(root, pid, &identity);
    *ret_identity = identity;
    return 0;
}

bool process_still_there(int root, const struct process_identity *identity)
{
    struct process_stat stat;
    return read_stat(root, identity->memory_tid, &stat) == 0 && stat.state != 'Z' &&
           stat.state != 'X' &&
           (identity->memory_tid != identity->pid || stat.start_ticks == identity->start_ticks);
}
