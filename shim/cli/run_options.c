#include "shim/cli/run_options.h"
#include "shim/cli/message.h"
#include "shim/cli/options.h"
#include "shim/config.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_LIBRARY, OPTION_DRY_RUN, OPTION_EXPLAIN, OWN_OPTIONS };

static const struct option own_options[OWN_OPTIONS] = {
    [OPTION_LIBRARY] = {"library", "PATH", "the library to load, instead of the one beside thpfix"},
    [OPTION_DRY_RUN] = {"dry-run", NULL, "print the command line that would be run, and stop"},
    [OPTION_EXPLAIN] = {"explain", NULL, "say on stderr what will happen, and why, then run"},
};

struct option_table {
    struct option options[OWN_OPTIONS + RUN_SETTINGS_MAX];
    char names[RUN_SETTINGS_MAX][48];
    char helps[RUN_SETTINGS_MAX][200];
    size_t count;
};

/* What a switch sets its variable to: the opposite of the default. NULL: the variable
 * has more than two values, and its option takes one. */
static const char *switch_value(const struct config_variable *variable)
{
    if (strcmp(variable->values, "0|1") != 0) {
        return NULL;
    }
    return strcmp(variable->default_value, "0") == 0 ? "1" : "0";
}

/* THPFIX_USER_STACKS, off by default: --user-stacks. THPFIX_INHERIT, on by default:
 * --no-inherit. THPFIX itself is the mode. */
static void name_option(const struct config_variable *variable, char *ret_name, size_t size)
{
    static const char prefix[] = "THPFIX_";
    const char *value = switch_value(variable);
    bool negative = value != NULL && strcmp(value, "0") == 0;
    const char *name = "mode";
    if (strncmp(variable->name, prefix, strlen(prefix)) == 0) {
        name = variable->name + strlen(prefix);
    }
    (void)snprintf(ret_name, size, "%s%s", negative ? "no-" : "", name);
    for (char *p = ret_name; *p != '\0'; p++) {
        *p = (char)(*p == '_' ? '-' : tolower((unsigned char)*p));
    }
}

static void make_table(struct option_table *ret_table)
{
    memcpy(ret_table->options, own_options, sizeof(own_options));
    ret_table->count = OWN_OPTIONS;
    for (size_t i = 0; i < config_variable_count && i < RUN_SETTINGS_MAX; i++) {
        const struct config_variable *variable = &config_variables[i];
        const char *value = switch_value(variable);
        const char *help = variable->help;
        if (value != NULL && help[0] == value[0] && help[1] == ' ') {
            help += 2; /* "1 keeps …": the switch says the 1 */
        }
        name_option(variable, ret_table->names[i], sizeof(ret_table->names[i]));
        (void)snprintf(ret_table->helps[i], sizeof(ret_table->helps[i]), "%s (%s)", help,
                       variable->name);
        ret_table->options[ret_table->count++] = (struct option){
            ret_table->names[i], value == NULL ? variable->values : NULL, ret_table->helps[i]};
    }
}

static bool take_setting(const struct option *option, size_t index, const char *text,
                         struct run_options *options)
{
    const struct config_variable *variable = &config_variables[index];
    struct config scratch = {.only = "", .exclude = "", .log = ""};
    if (text == NULL) {
        text = switch_value(variable);
    }
    if (text[0] == '\0' || !variable->parse(text, &scratch)) {
        message("run", "--%s wants %s, not '%s': %s", option->name, variable->values, text,
                variable->help);
        return false;
    }
    options->settings[index] = text;
    return true;
}

enum run_options_result run_options_parse(char **arguments, struct run_options *ret_options)
{
    struct option_table table;
    make_table(&table);
    struct options options = {"run", table.options, table.count, arguments, 1};
    struct run_options result = {0};
    const char *value = NULL;
    int option;
    while ((option = options_next(&options, &value)) >= 0) {
        switch (option) {
        case OPTION_LIBRARY:
            result.library = value;
            break;
        case OPTION_DRY_RUN:
            result.dry_run = true;
            break;
        case OPTION_EXPLAIN:
            result.explain = true;
            break;
        default:
            if (!take_setting(&table.options[option], (size_t)option - OWN_OPTIONS, value,
                              &result)) {
                return RUN_OPTIONS_BAD;
            }
        }
    }
    if (option == OPTIONS_HELP) {
        return RUN_OPTIONS_HELP;
    }
    if (option == OPTIONS_BAD) {
        return RUN_OPTIONS_BAD;
    }
    result.command = arguments + options.next;
    if (result.command[0] == NULL) {
        message("run", "no command given: thpfix run [OPTION...] [--] COMMAND [ARGUMENT...]");
        return RUN_OPTIONS_BAD;
    }
    *ret_options = result;
    return RUN_OPTIONS_OK;
}

const char *run_options_text(const struct run_options *options, const char *variable,
                             const char **ret_origin)
{
    for (size_t i = 0; i < config_variable_count; i++) {
        if (strcmp(config_variables[i].name, variable) != 0) {
            continue;
        }
        const char *environment = getenv(variable);
        if (i < RUN_SETTINGS_MAX && options->settings[i] != NULL) {
            *ret_origin = "option";
            return options->settings[i];
        }
        if (environment != NULL && environment[0] != '\0') {
            *ret_origin = "environment";
            return environment;
        }
        *ret_origin = "default";
        return config_variables[i].default_value;
    }
    return NULL;
}

void run_options_print(void)
{
    struct option_table table;
    make_table(&table);
    options_print(table.options, table.count);
}
