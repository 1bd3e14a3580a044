#include "shim/cli/unit_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ALIAS_DEPTH_MAX    8
#define STALE_PATH(result) ((result) == -ENOENT || (result) == -ENOTDIR)

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static int join(char *ret_path, const char *directory, const char *name, const char *end)
{
    int length = snprintf(ret_path, PATH_MAX, "%s/%s%s", directory, name, end);
    return length < 0 || length >= PATH_MAX ? -ENAMETOOLONG : 0;
}

/* The file of that name in the first directory that has one, as systemd does. A link to
 * another unit's name is an alias: ret_alias. */
static int find_fragment(const struct file_tree *tree, const struct unit_paths *paths,
                         const char *name, char *ret_path, char *ret_alias)
{
    for (size_t i = 0; i < paths->count; i++) {
        char target[PATH_MAX];
        struct stat status;
        int result = join(ret_path, paths->list[i], name, "");
        int length = result != 0 ? result : file_tree_link(tree, ret_path, target, sizeof(target));
        ret_alias[0] = '\0';
        if (STALE_PATH(length)) {
            continue;
        }
        if (length > 0 && strcmp(target, "/dev/null") == 0) {
            return -ERFKILL;
        }
        if (length > 0 && strcmp(file_name(target), name) != 0) {
            length = snprintf(ret_alias, UNIT_NAME_BYTES, "%s", file_name(target));
            return length < UNIT_NAME_BYTES ? 0 : -ENAMETOOLONG;
        }
        if (length < 0 && length != -EINVAL) {
            return length;
        }
        result = file_tree_stat(tree, ret_path, &status);
        if (result != 0) {
            return result;
        }
        return S_ISREG(status.st_mode) && status.st_size > 0 ? 0 : -ERFKILL; /* empty: masked */
    }
    return -ENOENT;
}

static int add_file(struct unit_files *files, const char *path)
{
    if (files->count == UNIT_FILES_MAX) {
        return -E2BIG;
    }
    files->list[files->count] = strdup(path);
    return files->list[files->count] != NULL ? (files->count++, 0) : -ENOMEM;
}

static bool is_known(const struct unit_files *files, const char *name)
{
    for (size_t i = 1; i < files->count; i++) {
        if (strcmp(file_name(files->list[i]), name) == 0) {
            return true;
        }
    }
    return false;
}

/* A file hides those of the same name in directories that come later. */
static int add_drop_ins(const struct file_tree *tree, const char *directory,
                        struct unit_files *files)
{
    int fd = file_tree_open(tree, directory, O_RDONLY | O_DIRECTORY);
    if (fd < 0) {
        return STALE_PATH(fd) ? 0 : fd;
    }
    DIR *stream = fdopendir(fd);
    if (stream == NULL) {
        (void)close(fd);
        return -ENOMEM;
    }
    const struct dirent *entry;
    int result = 0;
    while (result == 0 && (entry = readdir(stream)) != NULL) {
        const char *end = strrchr(entry->d_name, '.');
        char path[PATH_MAX];
        if (entry->d_name[0] == '.' || end == NULL || strcmp(end, ".conf") != 0) {
            continue;
        }
        result = join(path, directory, entry->d_name, "");
        if (result != 0 || strcmp(path, files->own) == 0) {
            continue;
        }
        if (strcmp(entry->d_name, UNIT_DROP_IN) == 0) {
            if (files->namesake[0] == '\0') {
                (void)snprintf(files->namesake, sizeof(files->namesake), "%s", path);
            }
        } else if (!is_known(files, entry->d_name)) {
            result = add_file(files, path);
        }
    }
    (void)closedir(stream);
    return result;
}

/* "a-b-c.service" also takes what is for "a-b-.service" and "a-.service". */
static int add_prefixes(const struct file_tree *tree, const char *directory, const char *name,
                        struct unit_files *files)
{
    char prefix[UNIT_NAME_BYTES];
    (void)snprintf(prefix, sizeof(prefix), "%s", name);
    prefix[strcspn(prefix, "@.")] = '\0';
    int result = 0;
    char *dash;
    for (size_t length = strlen(prefix); result == 0 && length > 1; length = strlen(prefix)) {
        prefix[length - 1] = '\0'; /* a dash at the end is the one that was there before */
        dash = strrchr(prefix, '-');
        if (dash == NULL || dash == prefix) {
            break;
        }
        dash[1] = '\0';
        char path[PATH_MAX];
        result = join(path, directory, prefix, ".service.d");
        result = result != 0 ? result : add_drop_ins(tree, path, files);
    }
    return result;
}

static int add_for_name(const struct file_tree *tree, const char *directory, const char *name,
                        struct unit_files *files)
{
    char path[PATH_MAX];
    int result = join(path, directory, name, ".d");
    return result != 0 ? result : add_drop_ins(tree, path, files);
}

static int by_file_name(const void *a, const void *b)
{
    return strcmp(file_name(*(char *const *)a), file_name(*(char *const *)b));
}

static int find_drop_ins(const struct file_tree *tree, const struct unit_paths *paths,
                         const struct unit_name *name, struct unit_files *files)
{
    int result = 0;
    for (size_t i = 0; result == 0 && i < paths->count; i++) {
        const char *directory = paths->list[i];
        result = add_for_name(tree, directory, name->text, files);
        if (result == 0 && name->parent[0] != '\0') {
            result = add_for_name(tree, directory, name->parent, files);
        }
        result = result != 0 ? result : add_prefixes(tree, directory, name->text, files);
    }
    for (size_t i = 0; result == 0 && i < paths->count; i++) {
        result = add_for_name(tree, paths->list[i], "service", files);
    }
    if (result == 0) {
        qsort(files->list + 1, files->count - 1, sizeof(files->list[0]), by_file_name);
        files->own_place = 1;
        while (files->own_place < files->count &&
               strcmp(file_name(files->list[files->own_place]), UNIT_DROP_IN) < 0) {
            files->own_place++;
        }
    }
    return result;
}

static int follow_aliases(const struct file_tree *tree, const struct unit_paths *paths,
                          struct unit_name *name, char *ret_path)
{
    for (int depth = 0; depth < ALIAS_DEPTH_MAX; depth++) {
        char alias[UNIT_NAME_BYTES];
        const char *why;
        int result = find_fragment(tree, paths, name->text, ret_path, alias);
        if (result == -ENOENT && name->parent[0] != '\0') {
            /* An alias of a template stands for the same instance of another one. */
            result = find_fragment(tree, paths, name->parent, ret_path, alias);
            const char *at = strchr(alias, '@');
            if (result == 0 && at != NULL) {
                char parent[UNIT_NAME_BYTES];
                memcpy(parent, alias, sizeof(parent));
                int length = snprintf(alias, sizeof(alias), "%.*s@%s", (int)(at - alias), parent,
                                      strchr(name->text, '@') + 1);
                result = length < UNIT_NAME_BYTES ? 0 : -ENAMETOOLONG;
            }
        }
        if (result != 0 || alias[0] == '\0') {
            return result;
        }
        if (unit_name_parse(alias, name, &why) != 0) {
            return -ENOENT;
        }
    }
    return -ELOOP;
}

int unit_files_find(const struct file_tree *tree, const struct unit_paths *paths,
                    struct unit_name *name, struct unit_files *ret_files)
{
    struct unit_files *files = ret_files;
    char path[PATH_MAX];
    *files = (struct unit_files){0};
    int result = follow_aliases(tree, paths, name, path);
    result = result != 0 ? result : join(files->own_directory, paths->own, name->text, ".d");
    result = result != 0 ? result : join(files->own, files->own_directory, UNIT_DROP_IN, "");
    result = result != 0 ? result : add_file(files, path);
    result = result != 0 ? result : find_drop_ins(tree, paths, name, files);
    if (result != 0) {
        unit_files_free(files);
    }
    return result;
}

void unit_files_free(struct unit_files *files)
{
    while (files->count > 0) {
        free(files->list[--files->count]);
    }
}
