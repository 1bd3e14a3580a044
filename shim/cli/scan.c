/* thpfix scan: which processes waste memory on thread stacks. */
#include "shim/cli/scan.h"
#include "shim/cli/commands.h"
#include "shim/cli/message.h"
#include "shim/cli/options.h"
#include "shim/cli/output.h"
#include "shim/cli/output_file.h"
#include "shim/cli/watch.h"
#include "shim/config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define STATUS_WASTED 1

enum {
    OPTION_MIN,
    OPTION_OUTPUT,
    OPTION_BYTES,
    OPTION_JSON,
    OPTION_PROMETHEUS,
    OPTION_WRITE,
    OPTION_WATCH,
    OPTION_CHECK,
};

static const struct option scan_options[] = {
    [OPTION_MIN] = {"min", "SIZE", "only processes from which so much would return (K, M, G)"},
    [OPTION_OUTPUT] = {"output", "COLUMNS", "(-o) columns to print; +COLUMNS: these as well"},
    [OPTION_BYTES] = {"bytes", NULL, "print exact numbers instead of 1.5M"},
    [OPTION_JSON] = {"json", NULL, "print one JSON object"},
    [OPTION_PROMETHEUS] = {"prometheus", NULL, "print metrics for a textfile collector"},
    [OPTION_WRITE] = {"write", "FILE", "replace FILE with the output once it is complete"},
    [OPTION_WATCH] = {"watch", "SECONDS", "again and again, until Ctrl-C"},
    [OPTION_CHECK] = {"check", NULL,
                      "exit with 1 when a process is listed from which memory "
                      "would return"},
};
#define OPTION_COUNT (sizeof(scan_options) / sizeof(scan_options[0]))

struct request {
    size_t least_bytes;
    bool bytes, json, prometheus, check;
    const char *file;
    double seconds;
    struct table_choice choice;
};

static int print_help(void)
{
    printf("Usage: thpfix scan [OPTION...]\n\n"
           "Lists the processes with more than one thread, those that waste most on thread\n"
           "stacks first. The processes do not notice.\n\n");
    options_print(scan_options, OPTION_COUNT);
    printf("\n");
    table_print_columns(scan_columns, SCAN_COLUMN_COUNT);
    printf("\nExit status: 0 done, 1 memory would return (with --check), 2 error.\n");
    return output_finish("scan") == 0 ? 0 : STATUS_FAILED;
}

static int apply(int option, const char *value, void *context)
{
    struct request *request = context;
    switch (option) {
    case OPTION_MIN:
        if (!config_parse_bytes(value, &request->least_bytes)) {
            message("scan", "--min: '%s' is no size such as 64K, 10M, 1G", value);
            return -EINVAL;
        }
        return 0;
    case OPTION_OUTPUT:
        return table_choose("scan", value, scan_columns, SCAN_COLUMN_COUNT, &request->choice);
    case OPTION_BYTES:
        request->bytes = true;
        return 0;
    case OPTION_JSON:
        request->json = true;
        return 0;
    case OPTION_PROMETHEUS:
        request->prometheus = true;
        return 0;
    case OPTION_WRITE:
        request->file = value;
        return 0;
    case OPTION_WATCH:
        return watch_parse("scan", value, &request->seconds);
    default:
        request->check = true;
        return 0;
    }
}

/* 0, or an exit status + 1; the help is printed already. */
static int parse(char **argv, struct request *request)
{
    table_accept_short_option(argv);
    int result = options_read("scan", scan_options, OPTION_COUNT, argv, apply, request);
    if (result == OPTIONS_HELP) {
        return print_help() + 1;
    }
    if (result != 0) {
        return STATUS_FAILED + 1;
    }
    if (argv[1] != NULL) {
        message("scan", "unexpected argument '%s': it looks at all processes", argv[1]);
        return STATUS_FAILED + 1;
    }
    if (request->json && request->prometheus) {
        message("scan", "--json and --prometheus: choose one");
        return STATUS_FAILED + 1;
    }
    if (request->file != NULL && request->seconds > 0) {
        message("scan", "--write writes once: use a timer instead of --watch");
        return STATUS_FAILED + 1;
    }
    return 0;
}

static int print(const struct scan *scan, const struct request *request)
{
    if (request->json) {
        scan_print_json(scan);
    } else if (request->prometheus) {
        scan_print_prometheus(scan);
    } else {
        return scan_print_table(scan, &request->choice);
    }
    return 0;
}

/* One look. 0, STATUS_WASTED, or a negative errno. */
static int look(const struct request *request)
{
    struct scan scan;
    bool wasted = false;
    int result = scan_read(request->least_bytes, request->bytes, &scan);
    if (result != 0) {
        return result;
    }
    if (request->seconds > 0) {
        watch_clear();
    }
    result = print(&scan, request);
    for (size_t i = 0; i < scan.count; i++) {
        wasted |= scan.rows[i].totals.back_bytes != 0;
    }
    scan_free(&scan);
    return result == 0 && wasted ? STATUS_WASTED : result;
}

static int complain(int error)
{
    message("scan", "cannot read the processes: %s", strerror(-error));
    return STATUS_FAILED;
}

static int look_once(const struct request *request)
{
    struct output_file file;
    if (request->file != NULL && output_file_begin("scan", request->file, &file) != 0) {
        return STATUS_FAILED;
    }
    int result = look(request);
    if (result < 0 && request->file != NULL) {
        output_file_abandon(&file);
    }
    if (result == -EINTR) {
        watch_die();
    }
    if (result < 0) {
        return complain(result);
    }
    int written = request->file != NULL ? output_file_finish("scan", &file) : output_finish("scan");
    if (written != 0) {
        return STATUS_FAILED;
    }
    return request->check ? result : 0;
}

static int look_repeatedly(const struct request *request)
{
    int result;
    do {
        result = look(request);
    } while (result >= 0 && watch_wait(request->seconds));
    if (result < 0 && result != -EINTR) {
        return complain(result);
    }
    return output_finish("scan") == 0 ? 0 : STATUS_FAILED;
}

int command_scan(int argc, char **argv)
{
    (void)argc;
    struct request request = {
        .choice = {9,
                   {SCAN_PID, SCAN_COMMAND, SCAN_THREADS, SCAN_SIZE, SCAN_RESIDENT, SCAN_HUGE,
                    SCAN_BACK, SCAN_RSS, SCAN_LIBRARY}},
    };
    int status = parse(argv, &request);
    if (status != 0) {
        return status - 1;
    }
    watch_begin();
    return request.seconds > 0 ? look_repeatedly(&request) : look_once(&request);
}
