/* The way to a file that another process has mapped. */
#ifndef THPFIX_SHIM_CLI_REMOTE_FILE_H
#define THPFIX_SHIM_CLI_REMOTE_FILE_H

#include <limits.h>
#include <sys/types.h>

#define REMOTE_FILE_BYTES (PATH_MAX + 32)

/* name: as in /proc/PID/maps, which names files as seen from our own root directory where it can,
 * as in a chroot(2), and otherwise as seen from the root of their mounts, as in a container. The
 * path leads through the process's own root directory; whether there is such a file is not looked
 * at. Any thread. */
void remote_file_path(pid_t tid, const char *name, char ret_path[REMOTE_FILE_BYTES]);

#endif
