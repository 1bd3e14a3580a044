/* thpfix: finds the subcommand and hands over. */
#include "shim/cli/commands.h"
#include "shim/cli/message.h"
#include "shim/cli/nearest_word.h"
#include "shim/cli/output.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct command {
    const char *name;
    int (*function)(int argc, char **argv);
    const char *description;
};

static const struct command commands[] = {
#define COMMAND_ENTRY(name, description) {#name, command_##name, description},
    COMMANDS(COMMAND_ENTRY)
#undef COMMAND_ENTRY
};
static const size_t command_count = sizeof(commands) / sizeof(commands[0]);

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < command_count; i++) {
        if (strcmp(commands[i].name, name) == 0) {
            return &commands[i];
        }
    }
    return NULL;
}

static int refuse_word(const char *kind, const char *word, bool option)
{
    struct nearest_word nearest;
    nearest_begin(&nearest, word);
    if (option) {
        nearest_offer(&nearest, "--help");
        nearest_offer(&nearest, "--version");
    } else {
        for (size_t i = 0; i < command_count; i++) {
            nearest_offer(&nearest, commands[i].name);
        }
    }
    if (nearest_result(&nearest) != NULL) {
        message(NULL, "unknown %s '%s': did you mean '%s'?", kind, word, nearest_result(&nearest));
    } else {
        message(NULL, "unknown %s '%s': 'thpfix help' lists what there is", kind, word);
    }
    return STATUS_FAILED;
}

static int print_usage(void)
{
    printf("Usage: thpfix COMMAND [OPTION...] [ARGUMENT...]\n"
           "       thpfix help [COMMAND]\n\n"
           "Keeps thread stacks of existing binaries free of transparent huge pages.\n\n"
           "Commands:\n");
    for (size_t i = 0; i < command_count; i++) {
        printf("  %-10s %s\n", commands[i].name, commands[i].description);
    }
    printf("\nOptions:\n"
           "  --help     show this help; after a command, the help of that command\n"
           "  --version  show the version\n");
    return output_finish(NULL) == 0 ? 0 : STATUS_FAILED;
}

int command_help(int argc, char **argv)
{
    if (argc > 2) {
        message("help", "unexpected argument '%s': it takes one command", argv[2]);
        return STATUS_FAILED;
    }
    if (argc < 2 || strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0) {
        return print_usage();
    }
    const struct command *command = find_command(argv[1]);
    if (command == NULL) {
        return refuse_word("command", argv[1], false);
    }
    char option[] = "--help";
    char *arguments[] = {argv[1], option, NULL};
    return command->function(2, arguments);
}

static int run_option(int argc, char **argv)
{
    bool help = strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0;
    if (!help && strcmp(argv[1], "--version") != 0) {
        return refuse_word("option", argv[1], true);
    }
    if (argc > 2) {
        message(NULL, "unexpected argument '%s' after '%s'", argv[2], argv[1]);
        return STATUS_FAILED;
    }
    if (help) {
        return print_usage();
    }
    printf("thpfix %s\n", THPFIX_VERSION);
    return output_finish(NULL) == 0 ? 0 : STATUS_FAILED;
}

int main(int argc, char **argv)
{
    output_begin();
    if (argc < 2) {
        message(NULL, "no command given: 'thpfix help' lists the commands");
        return STATUS_FAILED;
    }
    if (argv[1][0] == '-') {
        return run_option(argc, argv);
    }
    const struct command *command = find_command(argv[1]);
    if (command == NULL) {
        return refuse_word("command", argv[1], false);
    }
    return command->function(argc - 1, argv + 1);
}
