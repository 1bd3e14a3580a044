/* Version numbers as kernel and C library write them: "6.1.0-50-amd64", "2.36". Pure. */
#ifndef THPFIX_SHIM_CLI_VERSION_H
#define THPFIX_SHIM_CLI_VERSION_H

#include <stdbool.h>

struct version {
    unsigned long major, minor, patch; /* patch: 0 where there is none */
};

/* false, with *ret_version untouched, where the text does not begin with "MAJOR.MINOR". */
bool version_parse(const char *text, struct version *ret_version);

bool version_at_least(const struct version *version, unsigned long major, unsigned long minor,
                      unsigned long patch);

#endif
