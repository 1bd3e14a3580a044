/* THPFIX_ONLY and THPFIX_EXCLUDE: is a program meant? */
#include "shim/config.h"

#include <string.h>

/* The glob is length bytes at glob. Iterative: on a mismatch the last star takes one
 * character more, so time is bounded by the product of the lengths. */
static bool glob_matches(const char *glob, size_t length, const char *name)
{
    const char *end = glob + length, *star = NULL, *resume = NULL;
    while (*name != '\0') {
        if (glob < end && *glob == '*') {
            star = glob++;
            resume = name;
        } else if (glob < end && (*glob == '?' || *glob == *name)) {
            glob++;
            name++;
        } else if (star != NULL) {
            glob = star + 1;
            name = ++resume;
        } else {
            return false;
        }
    }
    while (glob < end && *glob == '*') {
        glob++;
    }
    return glob == end;
}

bool config_list_matches(const char *list, const char *name)
{
    while (*list != '\0') {
        size_t length = strcspn(list, ",:");
        if (length != 0 && glob_matches(list, length, name)) {
            return true;
        }
        list += length;
        list += *list != '\0';
    }
    return false;
}

bool config_selects(const struct config *config, const char *program)
{
    if (config->only[0] != '\0' && !config_list_matches(config->only, program)) {
        return false;
    }
    return !config_list_matches(config->exclude, program);
}
