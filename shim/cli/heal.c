/* thpfix heal: gives back, in a process that goes on running, what huge pages took for its
 * thread stacks. */
#include "shim/cli/heal.h"
#include "detect/root_read.h"
#include "shim/cli/commands.h"
#include "shim/cli/heal_cgroup.h"
#include "shim/cli/message.h"
#include "shim/cli/options.h"
#include "shim/cli/output.h"
#include "shim/cli/process_error.h"
#include "shim/cli/watch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STATUS_LEFT     1
#define STOP_MS_DEFAULT 50
#define STOP_MS_MAX     10000

enum { OPTION_DRY_RUN, OPTION_JSON, OPTION_BATCH, OPTION_YES };

static const struct option heal_options[] = {
    [OPTION_DRY_RUN] = {"dry-run", NULL, "only show what would return"},
    [OPTION_JSON] = {"json", NULL, "print one JSON object"},
    [OPTION_BATCH] = {"batch", "MS", "stop no thread for longer, where possible (50)"},
    [OPTION_YES] = {"yes", NULL, "do not ask, even on a terminal"},
};
#define OPTION_COUNT (sizeof(heal_options) / sizeof(heal_options[0]))

struct request {
    bool dry_run, json, yes;
    uint64_t stop_ms;
    pid_t pid;
};

static int print_help(void)
{
    printf("Usage: thpfix heal [OPTION...] PID\n\n"
           "Gives back the memory that huge pages took for the thread stacks of a process, and\n"
           "keeps it from coming again. The process goes on running: its threads are stopped one\n"
           "after the other, each for about a millisecond. Only pages that lie below the stack\n"
           "pointer and hold nothing but zeros go, so nothing is lost.\n\n");
    options_print(heal_options, OPTION_COUNT);
    printf("\nExit status: 0 done, or nothing to do; 1 threads were left as they were; 2 error.\n");
    return output_finish("heal") == 0 ? 0 : STATUS_FAILED;
}

static int parse_ms(const char *text, uint64_t *ret_ms)
{
    char *end;
    errno = 0;
    unsigned long ms = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || ms == 0 ||
        ms > STOP_MS_MAX) {
        message("heal", "--batch: '%s' is no number of milliseconds from 1 to %d", text,
                STOP_MS_MAX);
        return -EINVAL;
    }
    *ret_ms = ms;
    return 0;
}

static int apply(int option, const char *value, void *context)
{
    struct request *request = context;
    request->dry_run |= option == OPTION_DRY_RUN;
    request->json |= option == OPTION_JSON;
    request->yes |= option == OPTION_YES;
    return option == OPTION_BATCH ? parse_ms(value, &request->stop_ms) : 0;
}

/* 0, or an exit status + 1; the help is printed already. */
static int parse(char **argv, struct request *request)
{
    int result = options_read("heal", heal_options, OPTION_COUNT, argv, apply, request);
    if (result == OPTIONS_HELP) {
        return print_help() + 1;
    }
    if (result != 0 || process_take_pid("heal", argv + 1, &request->pid) != 0) {
        return STATUS_FAILED + 1;
    }
    if (request->pid == getpid()) {
        message("heal", "%d is this command itself", (int)request->pid);
        return STATUS_FAILED + 1;
    }
    return 0;
}

struct heal_numbers heal_numbers_of(const struct inspection *inspection)
{
    return (struct heal_numbers){
        .rss_bytes = inspection->maps.total.rss_bytes,
        .stack_rss_bytes = inspection->totals.rss_bytes,
        .stack_huge_bytes = inspection->totals.huge_bytes,
        .back_bytes = inspection->totals.back_bytes,
        .not_judged = inspection->totals.not_judged,
        .cgroup_bytes = heal_cgroup_bytes(ROOT_HOST, inspection->identity.pid),
    };
}

/* On a terminal nobody is stopped without having been asked. */
static bool consents(const struct request *request, const struct heal_report *report)
{
    char answer[16] = "";
    if (request->yes || isatty(STDIN_FILENO) == 0) {
        return true;
    }
    if (!request->json) {
        heal_print_prospect(report);
        (void)fflush(stdout);
    }
    (void)fprintf(stderr, "Heal process %d now? [y/N] ", (int)request->pid);
    return fgets(answer, sizeof(answer), stdin) != NULL && (answer[0] == 'y' || answer[0] == 'Y');
}

static int look_again(struct heal_report *report)
{
    struct inspection inspection;
    int result = inspection_read(report->identity.pid, false, &inspection);
    if (result != 0) {
        return result;
    }
    report->after = heal_numbers_of(&inspection);
    inspection_free(&inspection);
    return 0;
}

static int status_of(const struct heal_summary *summary)
{
    size_t left = summary->untold;
    for (size_t i = 0; i < HEAL_STATE_COUNT; i++) {
        left += i != HEAL_DONE && i != HEAL_ENDED ? summary->states[i] : 0;
    }
    return left != 0 ? STATUS_LEFT : 0;
}

/* The exit status. */
static int act(const struct inspection *inspection, const struct request *request,
               uint64_t code_room, struct heal_report *report)
{
    watch_begin();
    int result = heal_run(inspection, code_room, request->stop_ms * 1000000, &report->summary);
    if (result == -EPERM) {
        heal_refused_message(request->pid);
        return STATUS_FAILED;
    }
    if (result == 0) {
        result = look_again(report);
    }
    if (result != 0) {
        process_error_message("heal", request->pid, result);
        return STATUS_FAILED;
    }
    report->acted = true;
    if (request->json) {
        heal_print_json(report);
    } else {
        heal_print_result(report);
    }
    return output_finish("heal") == 0 ? status_of(&report->summary) : STATUS_FAILED;
}

static int heal(const struct inspection *inspection, const struct request *request)
{
    struct heal_report report = {.identity = inspection->identity,
                                 .before = heal_numbers_of(inspection)};
    uint64_t code_room = 0;
    if (heal_check(inspection, &code_room) != 0) {
        return STATUS_FAILED;
    }
    if (!request->dry_run && consents(request, &report)) {
        return act(inspection, request, code_room, &report);
    }
    if (request->json) {
        heal_print_json(&report);
    } else if (request->dry_run) {
        heal_print_prospect(&report);
    }
    int status = request->dry_run ? 0 : STATUS_LEFT;
    return output_finish("heal") == 0 ? status : STATUS_FAILED;
}

int command_heal(int argc, char **argv)
{
    (void)argc;
    struct request request = {.stop_ms = STOP_MS_DEFAULT};
    struct inspection inspection;
    int status = parse(argv, &request);
    if (status != 0) {
        return status - 1;
    }
    /* Nobody is stopped for what will not be told. */
    if (output_check("heal") != 0) {
        return STATUS_FAILED;
    }
    int result = inspection_read(request.pid, false, &inspection);
    if (result != 0) {
        process_error_message("heal", request.pid, result);
        return STATUS_FAILED;
    }
    status = heal(&inspection, &request);
    inspection_free(&inspection);
    return status;
}
