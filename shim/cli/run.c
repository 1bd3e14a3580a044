/* thpfix run: puts the library into LD_PRELOAD and becomes the program. */
#include "shim/cli/commands.h"
#include "shim/cli/launch.h"
#include "shim/cli/message.h"
#include "shim/cli/output.h"
#include "shim/cli/run_options.h"
#include "shim/cli/shell_quote.h"
#include "shim/config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int print_help(void)
{
    printf("Usage: thpfix run [OPTION...] [--] COMMAND [ARGUMENT...]\n\n"
           "Starts COMMAND with the library in LD_PRELOAD, in place of this process. What\n"
           "is in LD_PRELOAD already stays there.\n\n");
    run_options_print();
    printf("\nExit status: that of COMMAND; 125 thpfix itself failed, 126 COMMAND could not\n"
           "be executed, 127 it was not found.\n");
    return output_finish("run") == 0 ? 0 : STATUS_RUN_FAILED;
}

static void print_assignment(const char *name, const char *value)
{
    printf("%s=", name);
    shell_quote(stdout, value);
    printf(" ");
}

static int print_command(const struct launch *launch)
{
    print_assignment("LD_PRELOAD", launch->preload);
    for (size_t i = 0; i < config_variable_count && i < RUN_SETTINGS_MAX; i++) {
        if (launch->options->settings[i] != NULL) {
            print_assignment(config_variables[i].name, launch->options->settings[i]);
        }
    }
    for (char **word = launch->options->command; *word != NULL; word++) {
        shell_quote(stdout, *word);
        printf("%s", word[1] != NULL ? " " : "\n");
    }
    return output_finish("run") == 0 ? 0 : STATUS_RUN_FAILED;
}

static int set_environment(const struct launch *launch)
{
    int result = setenv("LD_PRELOAD", launch->preload, 1);
    for (size_t i = 0; result == 0 && i < config_variable_count && i < RUN_SETTINGS_MAX; i++) {
        if (launch->options->settings[i] != NULL) {
            result = setenv(config_variables[i].name, launch->options->settings[i], 1);
        }
    }
    if (result != 0) {
        message("run", "out of memory");
    }
    return result;
}

int command_run(int argc, char **argv)
{
    (void)argc;
    struct run_options options;
    switch (run_options_parse(argv, &options)) {
    case RUN_OPTIONS_HELP:
        return print_help();
    case RUN_OPTIONS_BAD:
        return STATUS_RUN_FAILED;
    case RUN_OPTIONS_OK:
        break;
    }
    static struct launch launch; /* a dozen paths: too much for a small stack */
    int status = launch_prepare(&options, &launch);
    if (status != 0) {
        return status;
    }
    launch_warn(&launch);
    if (options.explain) {
        launch_explain(&launch);
    }
    if (options.dry_run) {
        return print_command(&launch);
    }
    if (set_environment(&launch) != 0) {
        return STATUS_RUN_FAILED;
    }
    output_restore_signals();
    /* execvp hands what the kernel refuses to /bin/sh: right for a script, but what a
     * shell makes of the ELF file of another machine is no use to anybody. */
    if (strcmp(launch.program, launch.image) == 0) {
        (void)execv(launch.program, options.command);
    } else {
        (void)execvp(options.command[0], options.command);
    }
    return launch_refused(&launch, errno);
}
