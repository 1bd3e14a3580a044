/* The options of `thpfix run`: a few of its own, and one for each environment variable of
 * the library, made from the library's own table and checked by its own parser. */
#ifndef THPFIX_SHIM_CLI_RUN_OPTIONS_H
#define THPFIX_SHIM_CLI_RUN_OPTIONS_H

#include <stdbool.h>

#define RUN_SETTINGS_MAX 32

struct run_options {
    const char *library; /* as given; NULL: beside this command */
    bool dry_run;
    bool explain;
    /* The text for config_variables[i]; NULL: the environment stays as it is */
    const char *settings[RUN_SETTINGS_MAX];
    char **command; /* name and arguments, at least the name */
};

enum run_options_result {
    RUN_OPTIONS_OK,
    RUN_OPTIONS_HELP,
    RUN_OPTIONS_BAD, /* the complaint is made already */
};

enum run_options_result run_options_parse(char **arguments, struct run_options *ret_options);

/* What a variable of the library will be in the program's environment, or its default, and
 * which of these it is: "option", "environment", "default". NULL: no such variable. */
const char *run_options_text(const struct run_options *options, const char *variable,
                             const char **ret_origin);

/* Prints the list of options to stdout. */
void run_options_print(void);

#endif
