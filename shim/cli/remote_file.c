#include "shim/cli/remote_file.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

void remote_file_path(pid_t tid, const char *name, char ret_path[REMOTE_FILE_BYTES])
{
    char link[64], root[PATH_MAX];
    (void)snprintf(link, sizeof(link), "/proc/%d/root", (int)tid);
    ssize_t length = readlink(link, root, sizeof(root));
    if (length > 1 && length < PATH_MAX && strncmp(name, root, (size_t)length) == 0 &&
        name[length] == '/') {
        name += length;
    }
    (void)snprintf(ret_path, REMOTE_FILE_BYTES, "%s%s", link, name);
}
