#include "shim/cli/output_file.h"
#include "shim/cli/message.h"
#include "shim/cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int give_up(const char *command, const struct output_file *file, int error)
{
    message(command, "cannot write '%s': %s", file->path, strerror(error));
    (void)unlink(file->temporary);
    return -error;
}

int output_file_begin(const char *command, const char *path, struct output_file *ret_file)
{
    ret_file->path = path;
    int length = snprintf(ret_file->temporary, sizeof(ret_file->temporary), "%s.XXXXXX", path);
    if (length < 0 || (size_t)length >= sizeof(ret_file->temporary)) {
        message(command, "cannot write '%s': %s", path, strerror(ENAMETOOLONG));
        return -ENAMETOOLONG;
    }
    int fd = mkostemp(ret_file->temporary, O_CLOEXEC);
    if (fd < 0) {
        int error = errno;
        message(command, "cannot write '%s': %s", path, strerror(error));
        return -error;
    }
    if (fchmod(fd, 0644) != 0 || dup2(fd, STDOUT_FILENO) < 0) {
        int error = errno;
        (void)close(fd);
        return give_up(command, ret_file, error);
    }
    (void)close(fd);
    return 0;
}

int output_file_finish(const char *command, struct output_file *file)
{
    int result = output_finish(command);
    if (result != 0) {
        (void)unlink(file->temporary);
        return result;
    }
    return rename(file->temporary, file->path) == 0 ? 0 : give_up(command, file, errno);
}

void output_file_abandon(struct output_file *file)
{
    (void)unlink(file->temporary);
}
