#include "shim/cli/options.h"
#include "shim/cli/message.h"
#include "shim/cli/nearest_word.h"

#include <stdio.h>
#include <string.h>

static int refuse_unknown(const struct options *options, const char *name, size_t length)
{
    char written[64];
    struct nearest_word nearest;
    const char *best = NULL;
    if (length < sizeof(written)) {
        memcpy(written, name, length);
        written[length] = '\0';
        nearest_begin(&nearest, written);
        for (size_t i = 0; i < options->count; i++) {
            nearest_offer(&nearest, options->table[i].name);
        }
        nearest_offer(&nearest, "help");
        best = nearest_result(&nearest);
    }
    if (best != NULL) {
        message(options->command, "unknown option '--%.*s': did you mean '--%s'?", (int)length,
                name, best);
    } else {
        message(options->command, "unknown option '--%.*s': 'thpfix help %s' lists the options",
                (int)length, name, options->command);
    }
    return OPTIONS_BAD;
}

int options_next(struct options *options, const char **ret_value)
{
    const char *argument = options->arguments[options->next];
    if (argument == NULL || argument[0] != '-' || argument[1] == '\0') {
        return OPTIONS_END;
    }
    options->next++;
    if (strcmp(argument, "--") == 0) {
        return OPTIONS_END;
    }
    if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) {
        return OPTIONS_HELP;
    }
    if (argument[1] != '-') {
        message(options->command, "unknown option '%s': 'thpfix help %s' lists the options",
                argument, options->command);
        return OPTIONS_BAD;
    }

    const char *name = argument + 2;
    size_t length = strcspn(name, "=");
    for (size_t i = 0; i < options->count; i++) {
        const struct option *option = &options->table[i];
        if (strlen(option->name) != length || memcmp(option->name, name, length) != 0) {
            continue;
        }
        const char *value = name[length] == '=' ? name + length + 1 : NULL;
        if (option->value == NULL && value != NULL) {
            message(options->command, "option '--%s' takes no value", option->name);
            return OPTIONS_BAD;
        }
        if (option->value != NULL && value == NULL) {
            value = options->arguments[options->next];
            if (value == NULL) {
                message(options->command, "option '--%s' needs a value: --%s %s", option->name,
                        option->name, option->value);
                return OPTIONS_BAD;
            }
            options->next++;
        }
        *ret_value = value;
        return (int)i;
    }
    return refuse_unknown(options, name, length);
}

#define HELP_COLUMN 31 /* two blanks, the option, a blank */
#define HELP_WIDTH  48 /* 80 in all, less the margin */

static void print_option(const struct option *option)
{
    char left[64];
    (void)snprintf(left, sizeof(left), "--%s%s%s", option->name, option->value != NULL ? " " : "",
                   option->value != NULL ? option->value : "");
    printf("  %-*s", HELP_COLUMN - 2, left);
    if (strlen(left) > HELP_COLUMN - 3) {
        printf("\n%*s", HELP_COLUMN, "");
    }
    const char *rest = option->help;
    while (strlen(rest) > HELP_WIDTH) {
        size_t length = HELP_WIDTH;
        while (length > 0 && rest[length] != ' ') {
            length--;
        }
        if (length == 0) { /* one long word */
            break;
        }
        printf("%.*s\n%*s", (int)length, rest, HELP_COLUMN, "");
        rest += length + 1;
    }
    printf("%s\n", rest);
}

void options_print(const struct option *table, size_t count)
{
    static const struct option help = {"help", NULL, "show this help"};
    printf("Options:\n");
    for (size_t i = 0; i < count; i++) {
        print_option(&table[i]);
    }
    print_option(&help);
}
