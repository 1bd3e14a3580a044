#include "shim/cli/heal_cgroup.h"
#include "detect/root_read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int make_path(const char *mount, const char *group, const char *file, char *ret_path,
                     size_t size)
{
    size_t length = strcspn(group, "\n");
    if (length == 1) {
        length = 0; /* "/" */
    }
    int written = snprintf(ret_path, size, "%s%.*s/%s", mount, (int)length, group, file);
    return written < 0 || (size_t)written >= size ? -ENAMETOOLONG : 0;
}

int heal_cgroup_path(const char *text, char *ret_path, size_t size)
{
    const char *second = NULL, *line = text;
    while (line != NULL && *line != '\0') {
        size_t length = strcspn(line, "\n");
        const char *controllers = memchr(line, ':', length);
        const char *group = controllers != NULL ? memchr(controllers + 1, ':',
                                                         length - (size_t)(controllers + 1 - line))
                                                : NULL;
        if (group != NULL && group == controllers + 1 && line[0] == '0') {
            second = group + 1;
        } else if (group != NULL && (size_t)(group - controllers - 1) == strlen("memory") &&
                   memcmp(controllers + 1, "memory", strlen("memory")) == 0) {
            return make_path("/sys/fs/cgroup/memory", group + 1, "memory.usage_in_bytes", ret_path,
                             size);
        }
        line = line[length] == '\n' ? line + length + 1 : NULL;
    }
    if (second == NULL) {
        return -ENOENT;
    }
    return make_path("/sys/fs/cgroup", second, "memory.current", ret_path, size);
}

int64_t heal_cgroup_bytes(int root, pid_t pid)
{
    char path[4096], text[8192];
    (void)snprintf(path, sizeof(path), "/proc/%d/cgroup", (int)pid);
    ssize_t length = root_read(root, path, text, sizeof(text) - 1);
    if (length <= 0) {
        return -1;
    }
    text[length] = '\0';
    if (heal_cgroup_path(text, path, sizeof(path)) != 0) {
        return -1;
    }
    length = root_read(root, path, text, sizeof(text) - 1);
    if (length <= 0 || text[0] < '0' || text[0] > '9') {
        return -1;
    }
    text[length] = '\0';
    return strtoll(text, NULL, 10);
}
