/* thpfix sites: where a process creates its threads. */
#include "shim/cli/commands.h"
#include "shim/cli/message.h"
#include "shim/cli/options.h"
#include "shim/cli/output.h"
#include "shim/cli/process_error.h"
#include "shim/cli/sites_print.h"
#include "shim/cli/sites_read.h"
#include "shim/cli/symbols.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

enum { OPTION_JSON };

static const struct option sites_options[] = {
    [OPTION_JSON] = {"json", NULL, "print one JSON object; what is unknown is null"},
};
#define OPTION_COUNT (sizeof(sites_options) / sizeof(sites_options[0]))

static int print_help(void)
{
    printf("Usage: thpfix sites [OPTION...] PID\n\n"
           "Shows the call stacks that a process creates its threads from, and the memory in\n"
           "the stacks of those threads; what has the most in huge pages comes first. The\n"
           "program must have been started with 'thpfix run --sites'. It does not notice the\n"
           "look.\n\n");
    options_print(sites_options, OPTION_COUNT);
    printf("\nExit status: 0 done, 2 error: no such process, no sites in it, not permitted.\n");
    return output_finish("sites") == 0 ? 0 : STATUS_FAILED;
}

static void complain(const struct sites_report *report, int error)
{
    int pid = (int)report->identity.pid;
    switch (error) {
    case -ENOENT:
    case -ENOEXEC:
    case -EPROTO:
        message("sites",
                "%s in process %d has no sites: it is no libthpfix-sites that this thpfix knows",
                report->library.path, pid);
        break;
    case -EPROTONOSUPPORT:
        message("sites",
                "%s in process %d has sites of version %u, this thpfix reads version %d: use the "
                "thpfix that came with it",
                report->library.path, pid, (unsigned)report->head.version, SITES_VERSION);
        break;
    default:
        process_error_message("sites", report->identity.pid, error);
        break;
    }
}

static void complain_of_none(const struct sites_report *report)
{
    if (report->has_shim) {
        message("sites",
                "process %d (%s) has libthpfix, but records no sites: start it with 'thpfix run "
                "--sites' (THPFIX_SITES=1)",
                (int)report->identity.pid, report->identity.name);
    } else {
        message("sites",
                "libthpfix is not loaded in process %d (%s): start it with 'thpfix run --sites'",
                (int)report->identity.pid, report->identity.name);
    }
}

static int print(const struct sites_report *report, bool json)
{
    struct symbols *symbols = symbols_open(report->identity.memory_tid);
    if (json) {
        sites_print_json(report, symbols);
    } else {
        sites_print_text(report, symbols);
    }
    if (symbols != NULL) {
        symbols_close(symbols);
    }
    return output_finish("sites") == 0 ? 0 : STATUS_FAILED;
}

static int show(pid_t pid, bool json)
{
    struct sites_report report;
    int status = STATUS_FAILED, result = sites_read(pid, &report);
    if (result != 0) {
        complain(&report, result);
    } else if (report.library.start == 0) {
        complain_of_none(&report);
    } else {
        status = print(&report, json);
    }
    sites_free(&report);
    return status;
}

/* --json, the only one. */
static int apply(int option, const char *value, void *context)
{
    (void)option;
    (void)value;
    bool *json = context;
    *json = true;
    return 0;
}

int command_sites(int argc, char **argv)
{
    (void)argc;
    bool json = false;
    pid_t pid;
    int result = options_read("sites", sites_options, OPTION_COUNT, argv, apply, &json);
    if (result == OPTIONS_HELP) {
        return print_help();
    }
    if (result != 0 || process_take_pid("sites", argv + 1, &pid) != 0) {
        return STATUS_FAILED;
    }
    return show(pid, json);
}
