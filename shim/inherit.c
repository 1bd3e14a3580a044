#include "shim/inherit.h"

#include <string.h>

#define SEPARATORS ": "

static bool is_ours(const char *element, size_t length)
{
    static const char name[] = "libthpfix.so";
    size_t name_length = sizeof(name) - 1;
    return length >= name_length &&
           memcmp(element + length - name_length, name, name_length) == 0 &&
           (length == name_length || element[length - name_length - 1] == '/');
}

bool inherit_remove_element(char *list)
{
    bool removed = false;
    char *from = list;
    while (*from != '\0') {
        size_t length = strcspn(from, SEPARATORS);
        if (length == 0 || !is_ours(from, length)) {
            from += length + (from[length] != '\0');
            continue;
        }
        removed = true;
        /* With its separator: the one behind it, or, at the end, the one before. */
        char *rest = from + length;
        if (*rest != '\0') {
            rest++;
        } else if (from > list) {
            from--;
        }
        memmove(from, rest, strlen(rest) + 1);
    }
    return removed;
}

void inherit_remove(char **environment)
{
    static const char variable[] = "LD_PRELOAD=";
    size_t prefix = sizeof(variable) - 1;
    for (char **entry = environment; entry != NULL && *entry != NULL;) {
        if (strncmp(*entry, variable, prefix) != 0 || !inherit_remove_element(*entry + prefix) ||
            (*entry)[prefix] != '\0') {
            entry++;
            continue;
        }
        for (char **gap = entry; *gap != NULL; gap++) {
            gap[0] = gap[1];
        }
    }
}
