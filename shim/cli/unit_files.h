/* Where systemd finds the files of a unit (systemd.unit(5)), and where ours goes. */
#ifndef THPFIX_SHIM_CLI_UNIT_FILES_H
#define THPFIX_SHIM_CLI_UNIT_FILES_H

#include "shim/cli/file_tree.h"
#include "shim/cli/unit_name.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#define UNIT_DROP_IN   "thpfix.conf"
#define UNIT_FILES_MAX 128
#define UNIT_PATHS     20

enum unit_scope {
    UNIT_SYSTEM,
    UNIT_USER,   /* of the caller's own manager */
    UNIT_GLOBAL, /* of every user's manager */
};

/* The directories in which a manager looks, most important first. */
struct unit_paths {
    char list[UNIT_PATHS][PATH_MAX];
    size_t count;
    char own[PATH_MAX]; /* the one that an administrator writes to */
};

/* 0; -ENOENT there is no home directory to look in; -ENAMETOOLONG. */
int unit_paths_make(enum unit_scope scope, struct unit_paths *ret_paths);

struct unit_files {
    char *list[UNIT_FILES_MAX]; /* as systemd reads them: the unit, then drop-ins by name */
    size_t count;
    size_t own_place;   /* files from here on come after our drop-in */
    char own[PATH_MAX]; /* its path, in own_directory */
    char own_directory[PATH_MAX];
    char namesake[PATH_MAX]; /* a drop-in of the same name elsewhere, hidden by ours; "" */
};

/* Resolves aliases: *name becomes the name that the unit has. On success to be freed. 0;
 * -ENOENT there is no such unit; -ERFKILL it is masked; -E2BIG too many files; -ENOMEM;
 * another -errno of what could not be looked into. */
int unit_files_find(const struct file_tree *tree, const struct unit_paths *paths,
                    struct unit_name *name, struct unit_files *ret_files);
void unit_files_free(struct unit_files *files);

#endif
