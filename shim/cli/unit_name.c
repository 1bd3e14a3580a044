#include "shim/cli/unit_name.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define SERVICE ".service"

/* As systemd has them: letters and digits of ASCII, whatever the locale. */
static const char unit_characters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                      "0123456789:-_.\\@";

static bool ends_in(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

static bool is_other_type(const char *name)
{
    static const char *const types[] = {".socket", ".target", ".device", ".mount", ".automount",
                                        ".timer",  ".swap",   ".path",   ".slice", ".scope"};
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (ends_in(name, types[i])) {
            return true;
        }
    }
    return false;
}

int unit_name_parse(const char *given, struct unit_name *ret_name, const char **ret_why)
{
    const char *why = NULL;
    bool has_type = ends_in(given, SERVICE);
    if (given[0] == '\0') {
        why = "it is empty";
    } else if (given[strspn(given, unit_characters)] != '\0') {
        why = "a name has letters, digits and :-_.\\@ only ('systemd-escape' makes one)";
    } else if (is_other_type(given)) {
        why = "name the service that it starts or belongs to";
    } else if (given[0] == '@' || strcmp(given, SERVICE) == 0) {
        why = "it has nothing before the '@' or the '.service'";
    }
    struct unit_name name = {0};
    int length = snprintf(name.text, sizeof(name.text), "%s%s", given, has_type ? "" : SERVICE);
    if (why == NULL && (length < 0 || length >= UNIT_NAME_BYTES)) {
        why = "it is longer than systemd allows";
    }
    if (why != NULL) {
        *ret_why = why;
        return -EINVAL;
    }
    const char *at = strchr(name.text, '@');
    name.is_template = at != NULL && strcmp(at + 1, SERVICE) == 0;
    if (at != NULL && !name.is_template) {
        (void)snprintf(name.parent, sizeof(name.parent), "%.*s@" SERVICE, (int)(at - name.text),
                       name.text);
    }
    *ret_name = name;
    return 0;
}
