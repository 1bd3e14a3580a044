#include "shim/cli/commands.h"
#include "shim/cli/drop_in.h"
#include "shim/cli/message.h"
#include "shim/cli/output.h"
#include "shim/cli/systemd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* 1 removed; 0 there is none; -errno, the complaint made. */
static int remove_one(const struct file_tree *tree, const char *directory, bool quiet)
{
    char path[PATH_MAX], *text;
    int length = snprintf(path, sizeof(path), "%s/" UNIT_DROP_IN, directory);
    if (length < 0 || (size_t)length >= sizeof(path)) {
        return -ENAMETOOLONG;
    }
    int result = drop_in_read(tree, path, &text);
    if (result != 0 || text == NULL) {
        return result;
    }
    bool ours = systemd_preload_is_ours(text);
    free(text);
    if (!ours) {
        if (!quiet) {
            message("systemd", "'%s%s' was not made by thpfix: remove it by hand", tree->root,
                    path);
        }
        return quiet ? 0 : -EEXIST;
    }
    result = drop_in_remove(tree, directory, UNIT_DROP_IN);
    if (result != 0) {
        return result;
    }
    printf("Removed %s%s\n", tree->root, path);
    return 1;
}

static int open_tree(const struct systemd_request *request, struct file_tree *ret_tree)
{
    int result = file_tree_open_root(request->root, ret_tree);
    if (result != 0) {
        message("systemd", "--root: cannot open directory '%s': %s",
                request->root != NULL ? request->root : "/", strerror(-result));
    }
    return result;
}

int systemd_remove(const struct systemd_request *request)
{
    struct file_tree tree;
    struct unit_name name;
    struct unit_paths paths;
    struct unit_files files;
    char directory[PATH_MAX];
    const char *why;
    if (unit_name_parse(request->unit, &name, &why) != 0) {
        message("systemd", "'%s' is no name of a service: %s", request->unit, why);
        return STATUS_FAILED;
    }
    if (open_tree(request, &tree) != 0 || unit_paths_make(request->scope, &paths) != 0) {
        return STATUS_FAILED;
    }
    /* The unit may be gone or masked by now: all that is needed of it is its name. */
    struct unit_name given = name;
    if (unit_files_find(&tree, &paths, &name, &files) == 0) {
        unit_files_free(&files);
    } else {
        name = given;
    }
    int length = snprintf(directory, sizeof(directory), "%s/%s.d", paths.own, name.text);
    if (length < 0 || (size_t)length >= sizeof(directory)) {
        return STATUS_FAILED;
    }
    int result = remove_one(&tree, directory, false);
    if (result < 0) {
        return STATUS_FAILED;
    }
    if (result == 0) {
        printf("Nothing to remove: there is no %s%s/" UNIT_DROP_IN "\n", tree.root, directory);
    } else if (systemd_is_live(request)) {
        if (systemctl_reload(request->scope) != 0) {
            return STATUS_FAILED;
        }
        systemd_print_restart(request->scope, &name);
    }
    return output_finish("systemd") == 0 ? 0 : STATUS_FAILED;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct unit_name *)a)->text, ((const struct unit_name *)b)->text);
}

/* The units below a directory that have a directory for drop-ins; to be freed. */
static int list_units(const struct file_tree *tree, const char *directory,
                      struct unit_name **ret_units, size_t *ret_count)
{
    struct unit_name *units = NULL;
    size_t count = 0;
    int fd = file_tree_open(tree, directory, O_RDONLY | O_DIRECTORY);
    DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;
    const struct dirent *entry;
    while (stream != NULL && (entry = readdir(stream)) != NULL) {
        char name[NAME_MAX + 1];
        struct unit_name unit;
        const char *why;
        size_t length = strlen(entry->d_name);
        if (length < 3 || strcmp(entry->d_name + length - 2, ".d") != 0) {
            continue;
        }
        (void)snprintf(name, sizeof(name), "%.*s", (int)(length - 2), entry->d_name);
        if (unit_name_parse(name, &unit, &why) != 0 || strcmp(unit.text, name) != 0) {
            continue;
        }
        struct unit_name *more = realloc(units, (count + 1) * sizeof(*units));
        if (more == NULL) {
            break;
        }
        units = more;
        units[count++] = unit;
    }
    if (stream != NULL) {
        (void)closedir(stream);
    }
    if (count > 0) {
        qsort(units, count, sizeof(*units), compare_names);
    }
    *ret_units = units;
    *ret_count = count;
    return fd >= 0 || fd == -ENOENT || fd == -ENOTDIR ? 0 : fd;
}

/* How many were removed; failures are counted in *failures. */
static void remove_below(const struct systemd_request *request, const struct file_tree *tree,
                         enum unit_scope scope, unsigned *failures)
{
    struct unit_paths paths;
    struct unit_name *units;
    size_t count, removed = 0;
    /* In a chroot or a container there is nobody to be told, and nothing to restart. */
    bool live =
        request->root == NULL && scope != UNIT_GLOBAL && access("/run/systemd/system", F_OK) == 0;
    if (unit_paths_make(scope, &paths) != 0 || list_units(tree, paths.own, &units, &count) != 0) {
        message("systemd", "cannot look for drop-ins of users or in '%s%s'", tree->root, paths.own);
        ++*failures;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        char directory[2 * PATH_MAX];
        (void)snprintf(directory, sizeof(directory), "%s/%s.d", paths.own, units[i].text);
        int result = remove_one(tree, directory, true);
        *failures += result < 0;
        if (result == 1) {
            units[removed++] = units[i];
        }
    }
    if (removed > 0 && live) {
        *failures += systemctl_reload(scope) != 0;
        for (size_t i = 0; i < removed; i++) {
            systemd_print_restart(scope, &units[i]);
        }
    }
    free(units);
}

int systemd_remove_all(const struct systemd_request *request)
{
    struct file_tree tree;
    unsigned failures = 0;
    if (open_tree(request, &tree) != 0) {
        return STATUS_FAILED;
    }
    if (request->scope == UNIT_SYSTEM) {
        remove_below(request, &tree, UNIT_SYSTEM, &failures);
        remove_below(request, &tree, UNIT_GLOBAL, &failures);
    } else {
        remove_below(request, &tree, request->scope, &failures);
    }
    return output_finish("systemd") == 0 && failures == 0 ? 0 : STATUS_FAILED;
}
