/* LD_PRELOAD in the environment that systemd gives a service. Pure, but for memory. */
#ifndef THPFIX_SHIM_CLI_SYSTEMD_PRELOAD_H
#define THPFIX_SHIM_CLI_SYSTEMD_PRELOAD_H

#include "shim/cli/unit_settings.h"

#include <stdbool.h>

#define SYSTEMD_MARK          "# Made by thpfix systemd --install"
#define SYSTEMD_PRELOAD_BYTES 4096

struct systemd_preload {
    /* What is set without our drop-in, by the files that come before it; "" nothing */
    char before[SYSTEMD_PRELOAD_BYTES];
    const struct unit_setting *set_by;       /* where; NULL: by the manager, or nowhere */
    const struct unit_setting *overruled_by; /* by what comes behind: ours has no effect */
    const struct unit_setting *unset_by;     /* UnsetEnvironment= */
    unsigned times;                          /* that before has the library */
    bool overruled_with_us;                  /* what overrules has the library, too */
};

/* manager: what the manager itself gives every service ("" nothing). 0; -EINVAL with
 * ret_preload->set_by the setting that cannot be understood. */
int systemd_preload_find(const struct unit_settings *settings, const char *manager,
                         struct systemd_preload *ret_preload);

/* How often a value of LD_PRELOAD has the library in it. */
unsigned systemd_preload_count(const char *list);

/* The text of a drop-in that puts list into LD_PRELOAD. calls: the system calls to let pass
 * as well ("" none). To be freed. 0, -ENOMEM, -EINVAL for control characters. */
int systemd_preload_text(const char *unit, const char *list, const char *calls, char **ret_text);

/* Is this the text of a drop-in made by us? */
bool systemd_preload_is_ours(const char *text);

#endif
