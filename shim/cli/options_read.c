#include "shim/cli/options.h"

#include <stdbool.h>

int options_read(const char *command, const struct option *table, size_t count, char **arguments,
                 options_apply *apply, void *context)
{
    struct options options = {command, table, count, arguments, 1};
    const char *value = NULL;
    size_t words = 0;
    for (;;) {
        size_t before = options.next;
        int option = options_next(&options, &value);
        if (option == OPTIONS_HELP || option == OPTIONS_BAD) {
            return option;
        }
        if (option >= 0) {
            if (apply(option, value, context) != 0) {
                return OPTIONS_BAD;
            }
            continue;
        }
        /* A word, or -- (which was taken), or the end: what is behind -- is words. */
        bool all = options.next != before;
        do {
            char *word = arguments[options.next];
            arguments[++words] = word;
            if (word == NULL) {
                return 0;
            }
            options.next++;
        } while (all);
    }
}
