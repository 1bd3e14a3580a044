/* thpfix check: does this host suffer, why, and what helps. */
#include "shim/cli/check.h"
#include "detect/root_read.h"
#include "shim/cli/commands.h"
#include "shim/cli/message.h"
#include "shim/cli/options.h"
#include "shim/cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define STATUS_NOT_AFFECTED   0
#define STATUS_AFFECTED       1
#define STATUS_COULD_NOT_TELL 2

enum { OPTION_JSON, OPTION_ROOT };

static const struct option check_options[] = {
    [OPTION_JSON] = {"json", NULL, "print one JSON object; what is unknown is null"},
    [OPTION_ROOT] = {"root", "DIR", "read the copy of another machine's /sys and /proc below DIR"},
};
#define OPTION_COUNT (sizeof(check_options) / sizeof(check_options[0]))

static int print_help(void)
{
    printf("Usage: thpfix check [OPTION...]\n\n"
           "Tells whether the thread stacks of programs on this host can be backed by\n"
           "transparent huge pages, why, and what to do about it.\n\n");
    options_print(check_options, OPTION_COUNT);
    printf("\nExit status: 0 not affected, 1 affected, 2 could not tell, or bad usage.\n\n"
           "--root serves tests and reports about another machine. A copy cannot be\n"
           "probed: whether thread stacks are exempt is unknown in it, unless the kernel's\n"
           "release (Linux 6.7.6 and later) proves it.\n");
    return output_finish("check") == 0 ? 0 : STATUS_COULD_NOT_TELL;
}

static int status_of(const struct host_report *report)
{
    switch (report->verdict.kind) {
    case VERDICT_INERT:
        return STATUS_NOT_AFFECTED;
    case VERDICT_ACTIVE:
        return STATUS_AFFECTED;
    case VERDICT_UNKNOWN:
        break;
    }
    return STATUS_COULD_NOT_TELL;
}

static int open_root(const char *directory)
{
    int root = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (root < 0) {
        int error = errno;
        message("check", "--root: cannot open directory '%s': %s", directory, strerror(error));
        return -error;
    }
    return root;
}

static int check(const char *root_directory, bool json)
{
    int root = ROOT_HOST;
    if (root_directory != NULL) {
        root = open_root(root_directory);
        if (root < 0) {
            return STATUS_COULD_NOT_TELL;
        }
    }
    struct host_report report;
    host_report_read(root, &report);
    if (root_directory != NULL) {
        (void)close(root);
    }

    if (json) {
        check_print_json(&report);
    } else {
        int result = check_print_text(&report);
        if (result != 0) {
            message("check", "cannot print the facts: %s", strerror(-result));
            return STATUS_COULD_NOT_TELL;
        }
    }
    return output_finish("check") == 0 ? status_of(&report) : STATUS_COULD_NOT_TELL;
}

struct request {
    const char *root_directory;
    bool json;
};

static int apply(int option, const char *value, void *context)
{
    struct request *request = context;
    if (option == OPTION_JSON) {
        request->json = true;
    } else {
        request->root_directory = value;
    }
    return 0;
}

int command_check(int argc, char **argv)
{
    (void)argc;
    struct request request = {0};
    int result = options_read("check", check_options, OPTION_COUNT, argv, apply, &request);
    if (result == OPTIONS_HELP) {
        return print_help();
    }
    if (result != 0) {
        return STATUS_FAILED;
    }
    if (argv[1] != NULL) {
        message("check", "unexpected argument '%s': it takes options only", argv[1]);
        return STATUS_FAILED;
    }
    return check(request.root_directory, request.json);
}
