#include "shim/cli/file_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TEXT_BYTES_MAX ((size_t)1 << 20)

int file_tree_open_root(const char *root, struct file_tree *ret_tree)
{
    /* A root of "/" is a tree like any other: what it says is asked of the files alone. */
    int fd = open(root != NULL ? root : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        return -errno;
    }
    ret_tree->fd = fd;
    ret_tree->root = root != NULL && strcmp(root, "/") != 0 ? root : "";
    return 0;
}

int file_tree_open(const struct file_tree *tree, const char *path, int flags)
{
    struct open_how how = {.flags = (unsigned)(flags | O_CLOEXEC), .resolve = RESOLVE_IN_ROOT};
    /* The kernel's name: glibc has its own only from 2.32 on. */
    long fd = syscall(__NR_openat2, tree->fd, path, &how, sizeof(how));
    /* Before Linux 5.6, or forbidden by a filter that does not know it. */
    if (fd < 0 && (errno == ENOSYS || errno == EPERM)) {
        char whole[PATH_MAX];
        int result = file_tree_path(tree, path, whole, sizeof(whole));
        if (result != 0) {
            return result;
        }
        fd = open(whole, flags | O_CLOEXEC);
    }
    return fd < 0 ? -errno : (int)fd;
}

int file_tree_stat(const struct file_tree *tree, const char *path, struct stat *ret_status)
{
    int fd = file_tree_open(tree, path, O_PATH);
    if (fd < 0) {
        return fd;
    }
    int result = fstat(fd, ret_status) == 0 ? 0 : -errno;
    (void)close(fd);
    return result;
}

int file_tree_link(const struct file_tree *tree, const char *path, char *ret_target, size_t size)
{
    int fd = file_tree_open(tree, path, O_PATH | O_NOFOLLOW);
    if (fd < 0) {
        return fd;
    }
    ssize_t length = readlinkat(fd, "", ret_target, size);
    int error = errno == ENOENT ? EINVAL : errno; /* what an empty path gives for other files */
    (void)close(fd);
    if (length < 0) {
        return -error;
    }
    if ((size_t)length >= size) {
        return -ENAMETOOLONG;
    }
    ret_target[length] = '\0';
    return (int)length;
}

int file_tree_read(const struct file_tree *tree, const char *path, char **ret_text)
{
    /* Not blocking: a path may be that of a pipe. */
    int fd = file_tree_open(tree, path, O_RDONLY | O_NONBLOCK);
    if (fd < 0) {
        return fd;
    }
    char *text = malloc(TEXT_BYTES_MAX + 1);
    size_t length = 0;
    ssize_t got = text != NULL ? 1 : -1;
    int result = text != NULL ? 0 : -ENOMEM;
    while (got > 0 && length < TEXT_BYTES_MAX) {
        got = read(fd, text + length, TEXT_BYTES_MAX - length);
        length += got > 0 ? (size_t)got : 0;
        result = got < 0 ? -errno : 0;
    }
    (void)close(fd);
    if (result == 0 && length == TEXT_BYTES_MAX) {
        result = -EFBIG;
    }
    if (result != 0) {
        free(text);
        return result;
    }
    text[length] = '\0';
    *ret_text = text;
    return 0;
}

int file_tree_path(const struct file_tree *tree, const char *path, char *ret_path, size_t size)
{
    int length = snprintf(ret_path, size, "%s%s", tree->root, path);
    return length < 0 || (size_t)length >= size ? -ENAMETOOLONG : 0;
}
