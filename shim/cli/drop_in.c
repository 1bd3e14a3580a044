#include "shim/cli/drop_in.h"
#include "shim/cli/message.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TRIES_MAX 10

static int complain(const struct file_tree *tree, const char *verb, const char *path, int result)
{
    const char *remedy = "";
    if (result == -EROFS) {
        remedy = ": remount it writable, or put the output of --print where its files come from";
    } else if ((result == -EACCES || result == -EPERM) && geteuid() != 0) {
        remedy = ": run it as root (sudo)";
    }
    message("systemd", "cannot %s '%s%s': %s%s", verb, tree->root, path, strerror(-result), remedy);
    return result;
}

int drop_in_read(const struct file_tree *tree, const char *path, char **ret_text)
{
    char *text = NULL;
    int result = file_tree_read(tree, path, &text);
    if (result == -ENOENT || result == -ENOTDIR) {
        *ret_text = NULL;
        return 0;
    }
    if (result != 0) {
        return complain(tree, "read", path, result);
    }
    *ret_text = text;
    return 0;
}

/* Opens a directory, made with those above it where it is not there. */
static int open_directory(const struct file_tree *tree, const char *path)
{
    int fd = file_tree_open(tree, path, O_RDONLY | O_DIRECTORY);
    if (fd != -ENOENT || path[0] == '\0') {
        return fd;
    }
    char parent[PATH_MAX];
    const char *slash = strrchr(path, '/');
    if (slash == NULL || (size_t)(slash - path) >= sizeof(parent)) {
        return -ENOENT;
    }
    memcpy(parent, path, (size_t)(slash - path));
    parent[slash - path] = '\0';
    int above = open_directory(tree, parent[0] != '\0' ? parent : "/");
    if (above < 0) {
        return above;
    }
    int result = mkdirat(above, slash + 1, 0755) == 0 || errno == EEXIST ? 0 : -errno;
    if (result == 0) {
        (void)fsync(above);
        result = openat(above, slash + 1, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        result = result < 0 ? -errno : result;
    }
    (void)close(above);
    return result;
}

static int write_all(int fd, const char *text)
{
    for (size_t length = strlen(text); length > 0;) {
        ssize_t written = write(fd, text, length);
        if (written < 0 && errno != EINTR) {
            return -errno;
        }
        text += written > 0 ? written : 0;
        length -= written > 0 ? (size_t)written : 0;
    }
    /* Readable whatever the umask: nothing in it is secret, and users' managers read it. */
    return fchmod(fd, 0644) == 0 && fsync(fd) == 0 ? 0 : -errno;
}

/* systemd does not read names that begin with a dot. */
static int replace(int directory, const char *name, const char *text)
{
    char temporary[NAME_MAX + 1];
    (void)snprintf(temporary, sizeof(temporary), ".%s.%d", name, (int)getpid());
    (void)unlinkat(directory, temporary, 0); /* of an earlier process of that number */
    int fd =
        openat(directory, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) {
        return -errno;
    }
    int result = write_all(fd, text);
    if (close(fd) != 0 && result == 0) {
        result = -errno;
    }
    if (result == 0 && renameat(directory, temporary, directory, name) != 0) {
        result = -errno;
    }
    if (result != 0) {
        (void)unlinkat(directory, temporary, 0);
        return result;
    }
    return fsync(directory) == 0 ? 0 : -errno;
}

/* A directory that is empty was made for the drop-in. */
static void remove_directory(const struct file_tree *tree, const char *path)
{
    char parent[PATH_MAX];
    const char *slash = strrchr(path, '/');
    if (slash == NULL || (size_t)(slash - path) >= sizeof(parent)) {
        return;
    }
    memcpy(parent, path, (size_t)(slash - path));
    parent[slash - path] = '\0';
    int above = file_tree_open(tree, parent, O_RDONLY | O_DIRECTORY);
    if (above >= 0) {
        (void)unlinkat(above, slash + 1, AT_REMOVEDIR);
        (void)close(above);
    }
}

static int write_once(const struct file_tree *tree, const char *directory, const char *name,
                      const char *text)
{
    int fd = open_directory(tree, directory);
    int result = fd < 0 ? fd : replace(fd, name, text);
    if (fd >= 0) {
        (void)close(fd);
    }
    return result;
}

int drop_in_write(const struct file_tree *tree, const char *directory, const char *name,
                  const char *text)
{
    /* Another run that removes takes the directory away as long as it is empty. */
    int result = -ENOENT;
    for (int tries = 0; result == -ENOENT && tries < TRIES_MAX; tries++) {
        result = write_once(tree, directory, name, text);
    }
    if (result != 0) {
        (void)complain(tree, "write below", directory, result);
        remove_directory(tree, directory);
    }
    return result;
}

int drop_in_remove(const struct file_tree *tree, const char *directory, const char *name)
{
    int fd = file_tree_open(tree, directory, O_RDONLY | O_DIRECTORY);
    int result = fd < 0 ? fd : unlinkat(fd, name, 0) == 0 ? 0 : -errno;
    if (fd >= 0) {
        (void)close(fd);
    }
    if (result != 0 && result != -ENOENT) { /* another run was faster */
        char path[PATH_MAX];
        (void)snprintf(path, sizeof(path), "%s/%s", directory, name);
        return complain(tree, "remove", path, result);
    }
    remove_directory(tree, directory);
    return 0;
}
