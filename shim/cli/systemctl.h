/* What a running systemd says of a unit, by way of systemctl. */
#ifndef THPFIX_SHIM_CLI_SYSTEMCTL_H
#define THPFIX_SHIM_CLI_SYSTEMCTL_H

#include "shim/cli/unit_files.h"

#include <stdbool.h>
#include <sys/types.h>

struct systemctl_unit {
    char load_state[32]; /* "loaded", "not-found", "masked", "bad-setting", "error" */
    bool active;
    pid_t main_pid; /* 0: none */
};

/* Complaints about systemctl itself are made here. 0 or -errno. The name must not be that of a
 * template, of which systemd tells nothing. */
int systemctl_show(enum unit_scope scope, const char *unit, struct systemctl_unit *ret_unit);

/* LD_PRELOAD as the manager gives it to every service; "" where it does not. To be freed. */
int systemctl_preload(enum unit_scope scope, char **ret_list);

/* The services that run and match, one a line, without what else systemctl says of them; to be
 * freed. 0 or -errno. */
int systemctl_active(enum unit_scope scope, const char *pattern, char **ret_list);

/* Has it read its files again. 0 or -errno, the complaint made. */
int systemctl_reload(enum unit_scope scope);

#endif
