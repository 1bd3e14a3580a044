#include "shim/cli/version.h"

#include <stdlib.h>

static bool parse_number(const char **text, unsigned long *ret_number)
{
    /* strtoul would take blanks and signs. */
    if (**text < '0' || **text > '9') {
        return false;
    }
    char *end;
    *ret_number = strtoul(*text, &end, 10); /* ULONG_MAX where it does not fit: late enough */
    *text = end;
    return true;
}

bool version_parse(const char *text, struct version *ret_version)
{
    struct version version = {0};
    if (!parse_number(&text, &version.major) || *text++ != '.' ||
        !parse_number(&text, &version.minor)) {
        return false;
    }
    if (*text++ == '.') {
        (void)parse_number(&text, &version.patch);
    }
    *ret_version = version;
    return true;
}

bool version_at_least(const struct version *version, unsigned long major, unsigned long minor,
                      unsigned long patch)
{
    if (version->major != major) {
        return version->major > major;
    }
    if (version->minor != minor) {
        return version->minor > minor;
    }
    return version->patch >= patch;
}
