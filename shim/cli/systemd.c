/* thpfix systemd: puts the library into a service by a drop-in, and takes it away again. */
#include "shim/cli/systemd.h"
#include "shim/cli/commands.h"
#include "shim/cli/message.h"
#include "shim/cli/options.h"
#include "shim/cli/output.h"

#include <stdio.h>
#include <string.h>

enum {
    OPTION_STATUS,
    OPTION_PRINT,
    OPTION_INSTALL,
    OPTION_REMOVE,
    OPTION_REMOVE_ALL,
    OPTION_USER,
    OPTION_GLOBAL,
    OPTION_LIBRARY,
    OPTION_ALLOW_CALLS,
    OPTION_FORCE,
    OPTION_ROOT,
};

static const struct option systemd_options[] = {
    [OPTION_STATUS] = {"status", NULL, "tell whether the unit has the library (default)"},
    [OPTION_PRINT] = {"print", NULL, "print the drop-in that --install would write"},
    [OPTION_INSTALL] = {"install", NULL, "write the drop-in, and have systemd read it"},
    [OPTION_REMOVE] = {"remove", NULL, "take the drop-in away"},
    [OPTION_REMOVE_ALL] = {"remove-all", NULL, "take away every drop-in made by thpfix"},
    [OPTION_USER] = {"user", NULL, "a unit of your own systemd --user"},
    [OPTION_GLOBAL] = {"global", NULL, "a unit of every user's systemd --user"},
    [OPTION_LIBRARY] = {"library", "PATH", "the library to load, instead of the one beside thpfix"},
    [OPTION_ALLOW_CALLS] = {"allow-calls", NULL,
                            "let the unit's SystemCallFilter= pass the calls of the library"},
    [OPTION_FORCE] = {"force", NULL,
                      "install even where the library has no effect, or UNIT.d is a link"},
    [OPTION_ROOT] = {"root", "DIR", "work on the files of the system below DIR, without systemd"},
};
#define OPTION_COUNT (sizeof(systemd_options) / sizeof(systemd_options[0]))

struct command_line {
    struct systemd_request request;
    int action;
    bool help;
};

static int print_help(void)
{
    printf("Usage: thpfix systemd UNIT [OPTION...]\n"
           "       thpfix systemd --remove-all [OPTION...]\n\n"
           "Preloads the library into a service by a drop-in, UNIT.d/" UNIT_DROP_IN ". What is in\n"
           "LD_PRELOAD already stays there. Says what would keep the library out. Restarts\n"
           "nothing: it prints the command.\n\n");
    options_print(systemd_options, OPTION_COUNT);
    printf("\nExit status: 0 done, or the unit has the library; 1 (--status) it has not, or\n"
           "something keeps it out; 2 error, and nothing was changed.\n");
    return output_finish("systemd") == 0 ? 0 : STATUS_FAILED;
}

static int take_action(struct command_line *line, int option)
{
    if (line->action >= 0 && line->action != option) {
        message("systemd", "--%s and --%s exclude each other", systemd_options[line->action].name,
                systemd_options[option].name);
        return -1;
    }
    line->action = option;
    return 0;
}

static int take_option(struct command_line *line, int option, const char *value)
{
    struct systemd_request *request = &line->request;
    switch (option) {
    case OPTION_USER:
    case OPTION_GLOBAL:
        request->scope = option == OPTION_USER ? UNIT_USER : UNIT_GLOBAL;
        return 0;
    case OPTION_LIBRARY:
        request->library = value;
        return 0;
    case OPTION_ALLOW_CALLS:
        request->allow_calls = true;
        return 0;
    case OPTION_FORCE:
        request->force = true;
        return 0;
    case OPTION_ROOT:
        request->root = value;
        return 0;
    default:
        return take_action(line, option);
    }
}

static int take_unit(struct command_line *line, const char *word)
{
    if (line->request.unit != NULL) {
        message("systemd", "unexpected argument '%s': it takes one UNIT", word);
        return -1;
    }
    line->request.unit = word;
    return 0;
}

static int parse(char **argv, struct command_line *ret_line)
{
    struct options options = {"systemd", systemd_options, OPTION_COUNT, argv, 1};
    struct command_line line = {.action = -1};
    int result = 0;
    while (result == 0) {
        const char *value = NULL;
        int option = options_next(&options, &value);
        if (option == OPTIONS_BAD) {
            return -1;
        }
        if (option >= 0) {
            result = take_option(&line, option, value);
        } else if (option == OPTIONS_HELP) {
            line.help = true;
            break;
        } else if (argv[options.next] != NULL) {
            result = take_unit(&line, argv[options.next++]);
        } else {
            break;
        }
    }
    if (result == 0 && !line.help && line.request.unit == NULL &&
        line.action != OPTION_REMOVE_ALL) {
        message("systemd", "which service? 'thpfix systemd UNIT'");
        return -1;
    }
    if (result == 0 && line.request.unit != NULL && line.action == OPTION_REMOVE_ALL) {
        message("systemd", "unexpected argument '%s': --remove-all is about all of them",
                line.request.unit);
        return -1;
    }
    if (result == 0 && line.request.scope == UNIT_USER && line.request.root != NULL) {
        message("systemd", "--root knows no users: --global is for the units of all of them");
        return -1;
    }
    *ret_line = line;
    return result;
}

static int print_text(const struct systemd_job *job)
{
    printf("%s", job->text);
    return output_finish("systemd") == 0 ? 0 : STATUS_FAILED;
}

int command_systemd(int argc, char **argv)
{
    (void)argc;
    struct command_line line;
    static struct systemd_job job; /* dozens of paths: too much for a small stack */
    if (parse(argv, &line) != 0) {
        return STATUS_FAILED;
    }
    if (line.help) {
        return print_help();
    }
    if (line.action == OPTION_REMOVE_ALL) {
        return systemd_remove_all(&line.request);
    }
    if (line.action == OPTION_REMOVE) {
        return systemd_remove(&line.request);
    }
    if (systemd_job_open(&line.request, &job) != 0) {
        return STATUS_FAILED;
    }
    if (line.action == OPTION_INSTALL) {
        return systemd_install(&job);
    }
    return line.action == OPTION_PRINT ? print_text(&job) : systemd_status(&job);
}
