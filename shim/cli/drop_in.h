/* The drop-in of a unit as a file: written whole or not at all. */
#ifndef THPFIX_SHIM_CLI_DROP_IN_H
#define THPFIX_SHIM_CLI_DROP_IN_H

#include "shim/cli/file_tree.h"

/* All complain for themselves, with the remedy, and return 0 or -errno; nothing is changed
 * where they fail. */

/* Its text, to be freed; NULL where there is none. */
int drop_in_read(const struct file_tree *tree, const char *path, char **ret_text);

/* Puts text into directory/name, by a temporary file and a rename; makes the directory. */
int drop_in_write(const struct file_tree *tree, const char *directory, const char *name,
                  const char *text);

/* Takes it away, and the directory too if nothing else is in it. */
int drop_in_remove(const struct file_tree *tree, const char *directory, const char *name);

#endif
