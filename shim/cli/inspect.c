/* thpfix inspect: the thread stacks of a process, and what its memory is for. */
#include "shim/cli/inspect.h"
#include "shim/cli/commands.h"
#include "shim/cli/message.h"
#include "shim/cli/options.h"
#include "shim/cli/output.h"
#include "shim/cli/process_error.h"
#include "shim/cli/stack_map.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STATUS_WASTED 1
#define MAP_LINES     24 /* of a terminal */

enum {
    OPTION_THREADS,
    OPTION_SORT,
    OPTION_OUTPUT,
    OPTION_MAP,
    OPTION_TOP,
    OPTION_COLOR,
    OPTION_BYTES,
    OPTION_JSON,
    OPTION_CHECK,
};

static const struct option inspect_options[] = {
    [OPTION_THREADS] = {"threads", NULL, "one line for each thread"},
    [OPTION_SORT] = {"sort", "COLUMN", "order of --threads: what is most of it comes first"},
    [OPTION_OUTPUT] = {"output", "COLUMNS", "(-o) columns of --threads; +COLUMNS: these as well"},
    [OPTION_MAP] = {"map", NULL, "draw the memory of the stacks"},
    [OPTION_TOP] = {"top", "COUNT", "at most so many lines of --map or --threads; 0: all"},
    [OPTION_COLOR] = {"color", "WHEN", "--map in colour: auto, always, never"},
    [OPTION_BYTES] = {"bytes", NULL, "print exact numbers instead of 1.5M"},
    [OPTION_JSON] = {"json", NULL, "print one JSON object; what is unknown is null"},
    [OPTION_CHECK] = {"check", NULL, "exit with 1 when memory would return"},
};
#define OPTION_COUNT (sizeof(inspect_options) / sizeof(inspect_options[0]))

struct request {
    bool threads, map, bytes, json, check, has_top;
    size_t top;
    const char *color;
    enum thread_column sort;
    struct table_choice choice;
    pid_t pid;
};

static int print_help(void)
{
    printf("Usage: thpfix inspect [OPTION...] PID\n\n"
           "Shows the thread stacks of a process, how much of its memory is in huge pages,\n"
           "and how much would return if the stacks had none. The process does not notice.\n\n");
    options_print(inspect_options, OPTION_COUNT);
    printf("\n");
    table_print_columns(thread_columns, THREAD_COLUMN_COUNT);
    printf("\nExit status: 0 done, 1 memory would return (with --check), 2 error.\n");
    return output_finish("inspect") == 0 ? 0 : STATUS_FAILED;
}

static int parse_count(const char *text, size_t *ret_count)
{
    char *end;
    errno = 0;
    unsigned long count = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0) {
        message("inspect", "--top: '%s' is no number", text);
        return -EINVAL;
    }
    *ret_count = count;
    return 0;
}

static int apply(int option, const char *value, void *context)
{
    struct request *request = context;
    int column;
    switch (option) {
    case OPTION_THREADS:
        request->threads = true;
        return 0;
    case OPTION_SORT:
        column = table_find_column("inspect", "--sort", value, strlen(value), thread_columns,
                                   THREAD_COLUMN_COUNT);
        request->sort = column >= 0 ? (enum thread_column)column : request->sort;
        request->threads = true;
        return column >= 0 ? 0 : -EINVAL;
    case OPTION_OUTPUT:
        request->threads = true;
        return table_choose("inspect", value, thread_columns, THREAD_COLUMN_COUNT,
                            &request->choice);
    case OPTION_MAP:
        request->map = true;
        return 0;
    case OPTION_TOP:
        request->has_top = true;
        return parse_count(value, &request->top);
    case OPTION_COLOR:
        request->color = value;
        if (stack_map_colour(value) < 0) {
            message("inspect", "--color: '%s' is not auto, always or never", value);
            return -EINVAL;
        }
        return 0;
    case OPTION_BYTES:
        request->bytes = true;
        return 0;
    case OPTION_JSON:
        request->json = true;
        return 0;
    default:
        request->check = true;
        return 0;
    }
}

/* 0, or an exit status + 1; the help is printed already. */
static int parse(char **argv, struct request *request)
{
    table_accept_short_option(argv);
    int result = options_read("inspect", inspect_options, OPTION_COUNT, argv, apply, request);
    if (result == OPTIONS_HELP) {
        return print_help() + 1;
    }
    if (result != 0 || process_take_pid("inspect", argv + 1, &request->pid) != 0) {
        return STATUS_FAILED + 1;
    }
    if (request->map && request->json) {
        message("inspect", "--map is a picture, and --json is none: choose one");
        return STATUS_FAILED + 1;
    }
    return 0;
}

static int print_threads(const struct inspection *inspection, const struct request *request,
                         const struct thread_row *rows)
{
    size_t count = inspection->stacks.count;
    const void **pointers = calloc(count + 1, sizeof(*pointers));
    if (pointers == NULL) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        pointers[i] = &rows[i];
    }
    size_t shown =
        request->has_top && request->top != 0 && request->top < count ? request->top : count;
    int result = table_print(thread_columns, &request->choice, pointers, shown, inspect_cell);
    if (shown < count) {
        printf("and %zu threads more\n", count - shown);
    }
    free(pointers);
    return result;
}

static int print(const struct inspection *inspection, const struct request *request)
{
    struct thread_row *rows = NULL;
    int result = 0;
    if (request->threads) {
        rows = inspect_rows(inspection, request->sort, request->bytes);
        if (rows == NULL) {
            return -ENOMEM;
        }
    }
    if (request->json) {
        inspect_print_json(inspection, rows);
    } else if (request->map) {
        result = stack_map_print(inspection, stack_map_colour(request->color) == 1,
                                 request->has_top ? request->top : MAP_LINES);
    } else if (request->threads) {
        result = print_threads(inspection, request, rows);
    } else {
        result = inspect_print_text(inspection, request->bytes);
    }
    free(rows);
    return result;
}

int command_inspect(int argc, char **argv)
{
    (void)argc;
    struct request request = {
        .color = "auto",
        .sort = THREAD_BACK,
        .choice = {9,
                   {THREAD_TID, THREAD_NAME, THREAD_SIZE, THREAD_RESIDENT, THREAD_HUGE, THREAD_USED,
                    THREAD_GUARD, THREAD_EXEMPT, THREAD_BACK}},
    };
    int status = parse(argv, &request);
    if (status != 0) {
        return status - 1;
    }
    struct inspection inspection;
    int result = inspection_read(request.pid, request.threads || request.map, &inspection);
    if (result != 0) {
        process_error_message("inspect", request.pid, result);
        return STATUS_FAILED;
    }
    bool wasted = inspection.totals.back_bytes != 0;
    result = print(&inspection, &request);
    inspection_free(&inspection);
    if (result != 0) {
        process_error_message("inspect", request.pid, result);
        return STATUS_FAILED;
    }
    if (output_finish("inspect") != 0) {
        return STATUS_FAILED;
    }
    return request.check && wasted ? STATUS_WASTED : 0;
}
