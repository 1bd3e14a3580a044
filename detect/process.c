#include "detect/process.h"
#include "detect/process_tasks.h"
#include "detect/root_read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PF_KTHREAD 0x00200000UL

/* Fields of stat(5), counted from the state, which is the third. */
enum { FIELD_STATE = 3, FIELD_FLAGS = 9, FIELD_THREADS = 20, FIELD_START = 22, FIELD_RSS = 24 };

static void copy_name(const char *name, size_t length, char *ret_name, size_t size)
{
    length = length < size ? length : size - 1;
    for (size_t i = 0; i < length; i++) {
        ret_name[i] = name[i];
        if ((unsigned char)name[i] < ' ' || name[i] == 0x7f) {
            ret_name[i] = '?';
        }
    }
    ret_name[length] = '\0';
}

int process_parse_stat(const char *text, size_t length, struct process_stat *ret_stat)
{
    const char *open = memchr(text, '(', length), *close = memrchr(text, ')', length);
    char rest[1024];
    if (open == NULL || close == NULL || close < open) {
        return -EINVAL;
    }
    size_t left = length - (size_t)(close + 1 - text);
    if (left >= sizeof(rest)) {
        return -EINVAL;
    }
    memcpy(rest, close + 1, left);
    rest[left] = '\0';

    struct process_stat stat = {0};
    copy_name(open + 1, (size_t)(close - open - 1), stat.name, sizeof(stat.name));
    int field = FIELD_STATE;
    char *state = NULL;
    for (char *word = strtok_r(rest, " \n", &state); word != NULL;
         word = strtok_r(NULL, " \n", &state), field++) {
        unsigned long long number = strtoull(word, NULL, 10);
        if (field == FIELD_STATE) {
            stat.state = *word;
        } else if (field == FIELD_FLAGS) {
            stat.kernel_thread = (number & PF_KTHREAD) != 0;
        } else if (field == FIELD_THREADS) {
            stat.threads = (size_t)number;
        } else if (field == FIELD_START) {
            stat.start_ticks = number;
        } else if (field == FIELD_RSS) {
            stat.rss_pages = number;
        }
    }
    if (field <= FIELD_RSS) {
        return -EINVAL;
    }
    *ret_stat = stat;
    return 0;
}

const char *process_status_value(const char *text, const char *name, size_t *ret_length)
{
    size_t name_length = strlen(name);
    for (const char *line = text; line != NULL && *line != '\0';) {
        if (strncmp(line, name, name_length) == 0 && line[name_length] == ':') {
            const char *value = line + name_length + 1;
            value += strspn(value, " \t");
            *ret_length = strcspn(value, "\n");
            return value;
        }
        line = strchr(line, '\n');
        line = line != NULL ? line + 1 : NULL;
    }
    return NULL;
}

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
