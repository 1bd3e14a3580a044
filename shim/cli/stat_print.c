#include "detect/verdict.h"
#include "shim/cli/json_write.h"
#include "shim/cli/stat.h"
#include "shim/cli/table.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct counter_row {
    const char *name, *help;
    size_t offset;
    bool is_enumeration; /* shown as a word elsewhere */
};

static const struct counter_row counter_rows[] = {
#define COUNTER_ROW(field, help)                                                                   \
    {#field, help, offsetof(struct counters, field),                                               \
     offsetof(struct counters, field) == offsetof(struct counters, verdict_kind) ||                \
         offsetof(struct counters, field) == offsetof(struct counters, verdict_reason)},
    COUNTERS(COUNTER_ROW)
#undef COUNTER_ROW
};
#define COUNTER_ROWS (sizeof(counter_rows) / sizeof(counter_rows[0]))

struct setting_row {
    const char *name, *variable;
    size_t index;
};

static const struct setting_row setting_rows[] = {
#define SETTING_ROW(field, variable, help)                                                         \
    {#field, variable, offsetof(struct counters_settings, field) / sizeof(uint64_t)},
    COUNTERS_SETTINGS(SETTING_ROW)
#undef SETTING_ROW
};
#define SETTING_ROWS (sizeof(setting_rows) / sizeof(setting_rows[0]))

static uint64_t counter_at(const struct counters *counters, size_t offset)
{
    uint64_t value;
    memcpy(&value, (const char *)counters + offset, sizeof(value));
    return value;
}

/* One line of the table; the report belongs to all. */
struct shown_row {
    const struct stat_report *report;
    const struct counter_row *counter;
};

enum { COLUMN_COUNTER, COLUMN_VALUE, COLUMN_RATE, COLUMN_MEANING, COLUMN_COUNT };

static const struct table_column columns[COLUMN_COUNT] = {
    [COLUMN_COUNTER] = {"COUNTER", "", false},
    [COLUMN_VALUE] = {"VALUE", "", true},
    [COLUMN_RATE] = {"PER SECOND", "", true},
    [COLUMN_MEANING] = {"MEANING", "", false},
};

static void cell(const void *row, size_t column, char *ret_text)
{
    const struct shown_row *shown = row;
    uint64_t value = counter_at(&shown->report->found.counters, shown->counter->offset);
    uint64_t before = counter_at(&shown->report->before, shown->counter->offset);
    switch (column) {
    case COLUMN_COUNTER:
        (void)snprintf(ret_text, TABLE_CELL_BYTES, "%s", shown->counter->name);
        break;
    case COLUMN_VALUE:
        (void)snprintf(ret_text, TABLE_CELL_BYTES, "%llu", (unsigned long long)value);
        break;
    case COLUMN_RATE:
        (void)snprintf(ret_text, TABLE_CELL_BYTES, "%.1f",
                       (double)(value - before) / shown->report->seconds);
        break;
    default:
        (void)snprintf(ret_text, TABLE_CELL_BYTES, "%s", shown->counter->help);
        break;
    }
}

static void print_head(const struct stat_report *report)
{
    const struct counters *counters = &report->found.counters;
    printf("%s (PID %d), %s\n", report->identity.name, (int)report->identity.pid,
           report->library.path);
    printf("Verdict: %s: %s\n", verdict_kind_name((enum verdict_kind)counters->verdict_kind),
           verdict_reason_sentence((enum verdict_reason)counters->verdict_reason));
    printf("Settings:");
    for (size_t i = 0; i < SETTING_ROWS; i++) {
        uint64_t value = counters->settings_room[setting_rows[i].index];
        const char *word = counters_setting_word(setting_rows[i].index, value);
        if (setting_rows[i].variable[0] == '\0') {
            continue; /* a fact, not a setting */
        }
        if (word != NULL) {
            printf(" %s=%s", setting_rows[i].variable, word);
        } else {
            printf(" %s=%llu", setting_rows[i].variable, (unsigned long long)value);
        }
    }
    printf("\n\n");
}

int stat_print_text(const struct stat_report *report)
{
    struct shown_row rows[COUNTER_ROWS];
    const void *pointers[COUNTER_ROWS];
    size_t count = 0;
    struct table_choice choice = {3, {COLUMN_COUNTER, COLUMN_VALUE, COLUMN_MEANING}};
    if (report->seconds > 0) {
        choice =
            (struct table_choice){4, {COLUMN_COUNTER, COLUMN_VALUE, COLUMN_RATE, COLUMN_MEANING}};
    }
    for (size_t i = 0; i < COUNTER_ROWS; i++) {
        if (counters_has(&report->found, counter_rows[i].offset) &&
            !counter_rows[i].is_enumeration) {
            rows[count] = (struct shown_row){report, &counter_rows[i]};
            pointers[count] = &rows[count];
            count++;
        }
    }
    print_head(report);
    return table_print(columns, &choice, pointers, count, cell);
}

static void add_settings(struct json_writer *json, const struct counters *counters)
{
    json_open(json, "settings", '{');
    for (size_t i = 0; i < SETTING_ROWS; i++) {
        uint64_t value = counters->settings_room[setting_rows[i].index];
        const char *word = counters_setting_word(setting_rows[i].index, value);
        if (word != NULL) {
            json_string(json, setting_rows[i].name, word);
        } else {
            json_number(json, setting_rows[i].name, (long long)value);
        }
    }
    json_close(json, '}');
}

void stat_print_json(const struct stat_report *report)
{
    const struct counters *counters = &report->found.counters;
    struct json_writer json = {.stream = stdout};
    json_open(&json, NULL, '{');
    json_number(&json, "pid", report->identity.pid);
    json_string(&json, "command", report->identity.name);
    json_string(&json, "library", report->library.path);
    json_number(&json, "version", counters->version);
    json_string(&json, "verdict", verdict_kind_name((enum verdict_kind)counters->verdict_kind));
    json_string(&json, "reason",
                verdict_reason_word((enum verdict_reason)counters->verdict_reason));
    add_settings(&json, counters);
    json_open(&json, "counters", '{');
    for (size_t i = 0; i < COUNTER_ROWS; i++) {
        if (counters_has(&report->found, counter_rows[i].offset) &&
            !counter_rows[i].is_enumeration) {
            json_number(&json, counter_rows[i].name,
                        (long long)counter_at(counters, counter_rows[i].offset));
        }
    }
    json_close(&json, '}');
    json_close(&json, '}');
}
