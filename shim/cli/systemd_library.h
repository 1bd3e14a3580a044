/* The library as a unit names it. */
#ifndef THPFIX_SHIM_CLI_SYSTEMD_LIBRARY_H
#define THPFIX_SHIM_CLI_SYSTEMD_LIBRARY_H

#include "shim/cli/file_tree.h"

#include <limits.h>

struct systemd_library {
    char preload[PATH_MAX]; /* for LD_PRELOAD: where it can be, "/usr/$LIB/libthpfix.so" */
    char file[PATH_MAX];    /* in the tree; "" where only ld.so can tell */
};

/* given NULL: the one that belongs to this command, or that is installed in the tree. 0 or
 * -errno, the complaint made. */
int systemd_library_find(const struct file_tree *tree, const char *given,
                         struct systemd_library *ret_library);

/* The path with each % doubled, as systemd's specifiers want it. 0 or -ENAMETOOLONG. */
int systemd_library_escape(const char *path, char *ret_text, size_t size);

#endif
