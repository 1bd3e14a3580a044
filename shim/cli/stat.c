/* thpfix stat: what the library did in a process, read from outside. */
#include "detect/process.h"
#include "detect/root_read.h"
#include "shim/cli/commands.h"
#include "shim/cli/counters_read.h"
#include "shim/cli/message.h"
#include "shim/cli/options.h"
#include "shim/cli/output.h"
#include "shim/cli/process_error.h"
#include "shim/cli/stat.h"
#include "shim/cli/watch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { OPTION_JSON, OPTION_WATCH };

static const struct option stat_options[] = {
    [OPTION_JSON] = {"json", NULL, "print one JSON object, with --watch one each time"},
    [OPTION_WATCH] = {"watch", "SECONDS", "print again and again, until Ctrl-C or its end"},
};
#define OPTION_COUNT (sizeof(stat_options) / sizeof(stat_options[0]))

static int print_help(void)
{
    printf("Usage: thpfix stat [OPTION...] PID\n\n"
           "Shows what libthpfix did in a process: its verdict, its configuration and its\n"
           "counters. They are read from the memory of the process, which does not notice.\n\n");
    options_print(stat_options, OPTION_COUNT);
    printf("\nExit status: 0 done, 2 error: no such process, no library in it, not permitted.\n");
    return output_finish("stat") == 0 ? 0 : STATUS_FAILED;
}

static void complain(const struct stat_report *report, int error)
{
    int pid = (int)report->identity.pid;
    const char *path = report->library.path;
    switch (error) {
    case -ENOENT:
    case -ENOEXEC:
    case -EPROTO:
        message("stat",
                "%s in process %d has no counters: it is no libthpfix that this thpfix knows", path,
                pid);
        break;
    case -EPROTONOSUPPORT:
        message("stat",
                "%s in process %d has counters of version %u, this thpfix reads version %d: use "
                "the thpfix that came with it",
                path, pid, (unsigned)report->found.counters.version, COUNTERS_VERSION);
        break;
    default:
        process_error_message("stat", report->identity.pid, error);
        break;
    }
}

/* 0, or STATUS_FAILED with the complaint made. */
static int open_report(pid_t pid, struct stat_report *ret_report)
{
    static remote_library_test *const tests[] = {counters_is_library};
    struct stat_report report = {.identity.pid = pid};
    int result = process_identify(ROOT_HOST, pid, &report.identity);
    if (result == 0) {
        result = remote_library_find(report.identity.memory_tid, tests, 1, &report.library);
    }
    if (result != 0) {
        process_error_message("stat", pid, result);
        return STATUS_FAILED;
    }
    if (report.library.start == 0) {
        message("stat", "libthpfix is not loaded in process %d (%s): start it with 'thpfix run'",
                (int)pid, report.identity.name);
        return STATUS_FAILED;
    }
    result = counters_find(report.identity.memory_tid, &report.library, &report.found);
    if (result != 0) {
        complain(&report, result);
        return STATUS_FAILED;
    }
    *ret_report = report;
    return 0;
}

/* Until a signal, or the end of the process, which is a good end. */
static int watch(struct stat_report *report, bool json, double seconds)
{
    int result = 0;
    watch_begin();
    do {
        watch_clear();
        result = json ? (stat_print_json(report), 0) : stat_print_text(report);
        if (result != 0 || !watch_wait(seconds)) {
            break;
        }
        report->before = report->found.counters;
        report->seconds = seconds;
        if (counters_again(report->identity.memory_tid, &report->found) != 0 ||
            !process_still_there(ROOT_HOST, &report->identity)) {
            message("stat", "process %d has ended", (int)report->identity.pid);
            break;
        }
    } while (!watch_ended());
    return result;
}

static int stat_process(pid_t pid, bool json, double seconds)
{
    struct stat_report report;
    int result = open_report(pid, &report);
    if (result != 0) {
        return result;
    }
    if (seconds > 0) {
        result = watch(&report, json, seconds);
    } else if (json) {
        stat_print_json(&report);
    } else {
        result = stat_print_text(&report);
    }
    if (result != 0) {
        message("stat", "cannot print: %s", strerror(-result));
        return STATUS_FAILED;
    }
    return output_finish("stat") == 0 ? 0 : STATUS_FAILED;
}

struct request {
    bool json;
    double seconds;
};

static int apply(int option, const char *value, void *context)
{
    struct request *request = context;
    if (option == OPTION_JSON) {
        request->json = true;
        return 0;
    }
    return watch_parse("stat", value, &request->seconds);
}

int command_stat(int argc, char **argv)
{
    (void)argc;
    struct request request = {0};
    pid_t pid;
    int result = options_read("stat", stat_options, OPTION_COUNT, argv, apply, &request);
    if (result == OPTIONS_HELP) {
        return print_help();
    }
    if (result != 0 || process_take_pid("stat", argv + 1, &pid) != 0) {
        return STATUS_FAILED;
    }
    return stat_process(pid, request.json, request.seconds);
}
