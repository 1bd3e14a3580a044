/* What the files of a unit say in [Service]. */
#ifndef THPFIX_SHIM_CLI_UNIT_SETTINGS_H
#define THPFIX_SHIM_CLI_UNIT_SETTINGS_H

#include "shim/cli/unit_files.h"

#include <stdbool.h>
#include <stddef.h>

struct unit_setting {
    char *key, *value;
    size_t file; /* in unit_files.list */
    unsigned line;
};

struct unit_settings {
    const struct unit_files *files;
    struct unit_setting *list; /* in the order in which they count */
    size_t count;
};

/* On success to be freed. 0; -errno with *ret_path the file that could not be read. */
int unit_settings_read(const struct file_tree *tree, const struct unit_files *files,
                       struct unit_settings *ret_settings, const char **ret_path);
void unit_settings_free(struct unit_settings *settings);

/* The last value of a key; NULL: none, or taken back by an empty one. */
const struct unit_setting *unit_settings_last(const struct unit_settings *settings,
                                              const char *key);

/* Walks through the assignments of a key that takes a list and was not taken back: the next
 * one behind after (NULL: the first), or NULL. */
const struct unit_setting *unit_settings_next(const struct unit_settings *settings, const char *key,
                                              const struct unit_setting *after);

/* A boolean as systemd reads one: yes, true, on, 1. Other words (ProtectHome=tmpfs) are false. */
bool unit_settings_true(const struct unit_settings *settings, const char *key);

#endif
