/* The counters of the library in another process. */
#ifndef THPFIX_SHIM_CLI_COUNTERS_READ_H
#define THPFIX_SHIM_CLI_COUNTERS_READ_H

#include "detect/counters_abi.h"
#include "shim/cli/remote_library.h"

#include <stdbool.h>
#include <sys/types.h>

/* Is this the path of the library? Pure. */
bool counters_is_library(const char *path);

struct counters_found {
    uint64_t address;
    struct counters counters; /* what the other side does not have is zero */
    uint32_t size_bytes;      /* of what it has: fields beyond do not exist */
};

/* Finds them: 0; -ENOENT the library lies there, but has no counters; -EPROTO what is
 * there are no counters; -EPROTONOSUPPORT they are of another version (ret_found->counters
 * .version tells which); -errno of a read. */
int counters_find(pid_t tid, const struct remote_library *library,
                  struct counters_found *ret_found);

/* Reads them once more. 0 or -errno. */
int counters_again(pid_t tid, struct counters_found *found);

/* Does the other side have the field at this offset? Pure. */
bool counters_has(const struct counters_found *found, size_t offset);

/* The process's THPFIX_ setting as the user would write it: "auto". Static storage; NULL
 * for a number. index: of the list COUNTERS_SETTINGS. Pure. */
const char *counters_setting_word(size_t index, uint64_t value);

#endif
