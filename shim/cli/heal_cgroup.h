/* What the memory cgroup of a process is charged with. */
#ifndef THPFIX_SHIM_CLI_HEAL_CGROUP_H
#define THPFIX_SHIM_CLI_HEAL_CGROUP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* memory.current, or memory.usage_in_bytes of version 1, of the group in which the process is.
 * -1 where it is not told: no such controller, or the group is not to be seen from here. */
int64_t heal_cgroup_bytes(int root, pid_t pid);

/* The path of that file, from the text of /proc/PID/cgroup. 0; -ENOENT; -ENAMETOOLONG. Pure. */
int heal_cgroup_path(const char *text, char *ret_path, size_t size);

#endif
