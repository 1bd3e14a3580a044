/* Files of a machine that may lie below a directory: an image, a mounted disk.
 *
 * Paths are those that a program has there: links do not lead out of it.
 */
#ifndef THPFIX_SHIM_CLI_FILE_TREE_H
#define THPFIX_SHIM_CLI_FILE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

struct file_tree {
    int fd;           /* of its root directory */
    const char *root; /* as given, without a slash at the end; "" this machine itself */
};

/* root NULL: this machine. 0 or -errno. */
int file_tree_open_root(const char *root, struct file_tree *ret_tree);

/* As open(2), with O_CLOEXEC. A descriptor or -errno. */
int file_tree_open(const struct file_tree *tree, const char *path, int flags);

/* Of the file that a path leads to. 0 or -errno. */
int file_tree_stat(const struct file_tree *tree, const char *path, struct stat *ret_status);

/* The target of a symbolic link. Its length, below size; -EINVAL it is none; -errno. */
int file_tree_link(const struct file_tree *tree, const char *path, char *ret_target, size_t size);

/* The whole text of a file of at most a megabyte, to be freed. 0 or -errno; -EFBIG. */
int file_tree_read(const struct file_tree *tree, const char *path, char **ret_text);

/* The path by which this machine knows it. 0 or -ENAMETOOLONG. */
int file_tree_path(const struct file_tree *tree, const char *path, char *ret_path, size_t size);

#endif
