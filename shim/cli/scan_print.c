#include "shim/cli/json_write.h"
#include "shim/cli/scan.h"
#include "shim/cli/text_size.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>

#define REMEDY_BYTES (UINT64_C(16) << 20) /* from so much on it is worth the trouble */

const struct table_column scan_columns[SCAN_COLUMN_COUNT] = {
    [SCAN_PID] = {"PID", "process id", true},
    [SCAN_COMMAND] = {"COMMAND", "its name", false},
    [SCAN_USER] = {"USER", "its user", false},
    [SCAN_THREADS] = {"THREADS", "threads", true},
    [SCAN_STACKS] = {"STACKS", "thread stacks that could be told", true},
    [SCAN_SIZE] = {"SIZE", "address space of the stacks", true},
    [SCAN_RESIDENT] = {"RESIDENT", "memory the stacks take", true},
    [SCAN_HUGE] = {"HUGE", "of that, in huge pages", true},
    [SCAN_BACK] = {"BACK", "would return: resident like a huge page, and not used", true},
    [SCAN_RSS] = {"RSS", "memory the process takes", true},
    [SCAN_RSS_HUGE] = {"RSS-HUGE", "of that, in huge pages", true},
    [SCAN_LIBRARY] = {"LIBTHPFIX",
                      "libthpfix in it: not loaded, active, inert, unknown, unreadable", false},
};

static void bytes_cell(const struct scan_row *row, uint64_t bytes, char *ret_text)
{
    if (row->in_bytes) {
        (void)snprintf(ret_text, TABLE_CELL_BYTES, "%llu", (unsigned long long)bytes);
    } else {
        text_size(bytes, ret_text);
    }
}

static void user_cell(uid_t uid, char *ret_text)
{
    const struct passwd *entry = getpwuid(uid);
    if (entry != NULL) {
        (void)snprintf(ret_text, TABLE_CELL_BYTES, "%s", entry->pw_name);
    } else {
        (void)snprintf(ret_text, TABLE_CELL_BYTES, "%u", (unsigned)uid);
    }
}

static void cell(const void *row_of_table, size_t column, char *ret_text)
{
    const struct scan_row *row = row_of_table;
    switch ((enum scan_column)column) {
    case SCAN_PID:
        (void)snprintf(ret_text, TABLE_CELL_BYTES, "%d", (int)row->identity.pid);
        break;
    case SCAN_COMMAND:
        (void)snprintf(ret_text, TABLE_CELL_BYTES, "%s", row->identity.name);
        break;
    case SCAN_USER:
        user_cell(row->identity.uid, ret_text);
        break;
    case SCAN_THREADS:
        (void)snprintf(ret_text, TABLE_CELL_BYTES, "%zu", row->identity.threads);
        break;
    case SCAN_STACKS:
        (void)snprintf(ret_text, TABLE_CELL_BYTES, "%zu", row->totals.stacks);
        break;
    case SCAN_SIZE:
        bytes_cell(row, row->totals.size_bytes, ret_text);
        break;
    case SCAN_RESIDENT:
        bytes_cell(row, row->totals.rss_bytes, ret_text);
        break;
    case SCAN_HUGE:
        bytes_cell(row, row->totals.huge_bytes, ret_text);
        break;
    case SCAN_BACK:
        bytes_cell(row, row->totals.back_bytes, ret_text);
        break;
    case SCAN_RSS:
        bytes_cell(row, row->rss_bytes, ret_text);
        break;
    case SCAN_RSS_HUGE:
        bytes_cell(row, row->huge_bytes, ret_text);
        break;
    case SCAN_LIBRARY:
        (void)snprintf(ret_text, TABLE_CELL_BYTES, "%s", row->library);
        break;
    case SCAN_COLUMN_COUNT:
        break;
    }
}

/* What the table does not show, and what it would take. */
static void print_summary(const struct scan *scan)
{
    char back[TEXT_SIZE_BYTES];
    text_size(scan->back_bytes, back);
    printf("%s%zu processes with threads read, %s would return; %zu have one thread only\n",
           scan->count != 0 ? "\n" : "", scan->read, back, scan->single);
    if (scan->count != 0 && scan->rows[0].totals.back_bytes >= REMEDY_BYTES) {
        const struct scan_row *worst = &scan->rows[0];
        text_size(worst->totals.back_bytes, back);
        printf("'thpfix heal %d' gives back about %s of %s, which goes on running\n",
               (int)worst->identity.pid, back, worst->identity.name);
    }
    if (scan->count < scan->read) {
        printf("%zu not listed: less than --min would return from them\n",
               scan->read - scan->count);
    }
    if (scan->denied != 0) {
        printf("%zu could not be read: run it as root, or with CAP_SYS_PTRACE\n", scan->denied);
    }
    if (scan->failed != 0) {
        printf("%zu could not be read: 'thpfix inspect PID' tells why\n", scan->failed);
    }
}

int scan_print_table(const struct scan *scan, const struct table_choice *choice)
{
    const void **pointers = calloc(scan->count + 1, sizeof(*pointers));
    if (pointers == NULL) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < scan->count; i++) {
        pointers[i] = &scan->rows[i];
    }
    int result = table_print(scan_columns, choice, pointers, scan->count, cell);
    free(pointers);
    if (result == 0) {
        print_summary(scan);
    }
    return result;
}

static void add_process(struct json_writer *json, const struct scan_row *row)
{
    json_open(json, NULL, '{');
    json_number(json, "pid", row->identity.pid);
    json_string(json, "command", row->identity.name);
    json_number(json, "uid", row->identity.uid);
    json_number(json, "threads", (long long)row->identity.threads);
    json_number(json, "stacks", (long long)row->totals.stacks);
    json_number(json, "stacks_unknown", (long long)row->totals.untold);
    json_number(json, "not_judged", (long long)row->totals.not_judged);
    json_number(json, "size_bytes", (long long)row->totals.size_bytes);
    json_number(json, "resident_bytes", (long long)row->totals.rss_bytes);
    json_number(json, "huge_bytes", (long long)row->totals.huge_bytes);
    json_number(json, "would_return_bytes", (long long)row->totals.back_bytes);
    json_number(json, "process_resident_bytes", (long long)row->rss_bytes);
    json_number(json, "process_huge_bytes", (long long)row->huge_bytes);
    json_string(json, "library", row->library);
    json_close(json, '}');
}

void scan_print_json(const struct scan *scan)
{
    struct json_writer json = {.stream = stdout};
    json_open(&json, NULL, '{');
    json_open(&json, "processes", '[');
    for (size_t i = 0; i < scan->count; i++) {
        add_process(&json, &scan->rows[i]);
    }
    json_close(&json, ']');
    json_number(&json, "read", (long long)scan->read);
    json_number(&json, "single_threaded", (long long)scan->single);
    json_number(&json, "unreadable", (long long)scan->denied + (long long)scan->failed);
    json_number(&json, "ended", (long long)scan->ended);
    json_number(&json, "would_return_bytes", (long long)scan->back_bytes);
    json_close(&json, '}');
}
