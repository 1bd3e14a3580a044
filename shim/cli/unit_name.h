/* Names of systemd units, as systemctl takes them. Pure. */
#ifndef THPFIX_SHIM_CLI_UNIT_NAME_H
#define THPFIX_SHIM_CLI_UNIT_NAME_H

#include <stdbool.h>

#define UNIT_NAME_BYTES 256 /* systemd's limit, the final 0 included */

struct unit_name {
    char text[UNIT_NAME_BYTES];   /* "app.service", "app@one.service", "app@.service" */
    char parent[UNIT_NAME_BYTES]; /* the template of an instance: "app@.service"; "" none */
    bool is_template;             /* "app@.service" itself */
};

/* Takes "app" for "app.service". 0; -EINVAL when no service can have that name, with
 * *ret_why a reason in static storage. */
int unit_name_parse(const char *given, struct unit_name *ret_name, const char **ret_why);

#endif
