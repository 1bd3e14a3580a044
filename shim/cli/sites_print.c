#include "shim/cli/demangle.h"
#include "shim/cli/sites_print.h"

#include "shim/cli/json_write.h"
#include "shim/cli/text_size.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *help;
    size_t offset;
} counters[] = {
#define SITES_COUNTER_ROW(field, help) {#field, help, offsetof(struct sites, field)},
    SITES_COUNTERS(SITES_COUNTER_ROW)
#undef SITES_COUNTER_ROW
};
#define COUNTER_COUNT (sizeof(counters) / sizeof(counters[0]))

static uint64_t counter_at(const struct sites *head, size_t index)
{
    uint64_t value;
    memcpy(&value, (const char *)head + counters[index].offset, sizeof(value));
    return value;
}

/* "2M", "64K to 2M", "default" */
static void text_range(const struct sites_site *site, uint64_t least, uint64_t most, char *ret_text,
                       size_t size)
{
    char low[TEXT_SIZE_BYTES], high[TEXT_SIZE_BYTES];
    if (least > most) {
        (void)snprintf(ret_text, size, "default");
        return;
    }
    text_size(least, low);
    text_size(most, high);
    (void)snprintf(ret_text, size, "%s%s%s%s", low, least != most ? " to " : "",
                   least != most ? high : "", site->default_sizes != 0 ? " or default" : "");
}

static void print_memory(const struct site_row *row)
{
    char resident[TEXT_SIZE_BYTES], huge[TEXT_SIZE_BYTES];
    text_size(row->rss_bytes, resident);
    text_size(row->huge_bytes, huge);
    printf("%zu alive: %s resident, %s huge", row->alive, resident, huge);
    if (row->not_told != 0) {
        printf(" (not all is told of %zu)", row->not_told);
    }
    printf("\n");
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static void find(struct symbols *symbols, uint64_t address, struct symbol *ret_symbol)
{
    memset(ret_symbol, 0, sizeof(*ret_symbol));
    if (symbols != NULL) {
        symbols_find(symbols, address, ret_symbol);
    }
}

static void print_frame(struct symbols *symbols, uint64_t address)
{
    struct symbol symbol;
    find(symbols, address, &symbol);
    if (symbol.module[0] == '\0') {
        printf("    0x%" PRIx64 "\n", address);
        return;
    }
    if (symbol.function[0] != '\0') {
        char name[sizeof(symbol.function)];
        bool is_told = demangle(symbol.function, name, sizeof(name));
        printf("    %s+0x%" PRIx64 "  %s", is_told ? name : symbol.function, symbol.function_offset,
               file_name(symbol.module));
    } else {
        printf("    %s+0x%" PRIx64, file_name(symbol.module), symbol.module_offset);
    }
    if (symbol.source[0] != '\0') {
        printf("  %s:%d", symbol.source, symbol.line);
    }
    printf("\n");
}

static void print_site(const struct site_row *row, struct symbols *symbols)
{
    const struct sites_site *site = &row->site;
    char stack[64], guard[64];
    text_range(site, site->least_stack_bytes, site->most_stack_bytes, stack, sizeof(stack));
    text_range(site, site->least_guard_bytes, site->most_guard_bytes, guard, sizeof(guard));
    printf("\n%" PRIu64 " created, stack %s, guard %s", site->created, stack, guard);
    if (site->callers_stacks != 0) {
        printf(", %" PRIu64 " on stacks of the program's own", site->callers_stacks);
    }
    printf("; ");
    print_memory(row);
    for (uint32_t i = 0; i < site->frame_count; i++) {
        print_frame(symbols, site->frames[i]);
    }
    if (site->cut != 0) {
        printf("    ...\n");
    }
}

/* What keeps the numbers from being complete. */
static void print_left_out(const struct sites *head)
{
    const char *separator = "\n";
    for (size_t i = 0; i < COUNTER_COUNT; i++) {
        uint64_t value = counter_at(head, i);
        if (value != 0 && counters[i].offset != offsetof(struct sites, seen)) {
            printf("%s%" PRIu64 " %s\n", separator, value, counters[i].help);
            separator = "";
        }
    }
}

void sites_print_text(const struct sites_report *report, struct symbols *symbols)
{
    uint64_t created = 0;
    for (size_t i = 0; i < report->count; i++) {
        created += report->rows[i].site.created;
    }
    printf("%s (PID %d): %" PRIu64 " threads created at %zu site%s\n", report->identity.name,
           (int)report->identity.pid, created, report->count, report->count == 1 ? "" : "s");
    if (report->of_parent) {
        printf("They are those of the process that it was forked from.\n");
    }
    for (size_t i = 0; i < report->count; i++) {
        print_site(&report->rows[i], symbols);
    }
    if (report->others.alive != 0) {
        printf("\nCreated at no known site: ");
        print_memory(&report->others);
    }
    print_left_out(&report->head);
}

static void text_or_null(struct json_writer *json, const char *name, const char *text)
{
    json_string(json, name, text[0] != '\0' ? text : NULL);
}

static void number_if(struct json_writer *json, const char *name, bool known, uint64_t value)
{
    if (known) {
        json_number(json, name, (long long)value);
    } else {
        json_null(json, name);
    }
}

static void add_frame(struct json_writer *json, struct symbols *symbols, uint64_t address)
{
    struct symbol symbol;
    char text[32];
    find(symbols, address, &symbol);
    (void)snprintf(text, sizeof(text), "0x%" PRIx64, address);
    json_open(json, NULL, '{');
    json_string(json, "address", text);
    text_or_null(json, "module", symbol.module);
    number_if(json, "module_offset", symbol.module[0] != '\0', symbol.module_offset);
    text_or_null(json, "function", symbol.function);
    char name[sizeof(symbol.function)] = "";
    (void)demangle(symbol.function, name, sizeof(name));
    text_or_null(json, "demangled", name);
    number_if(json, "function_offset", symbol.function[0] != '\0', symbol.function_offset);
    text_or_null(json, "source", symbol.source);
    number_if(json, "line", symbol.source[0] != '\0', (uint64_t)symbol.line);
    json_close(json, '}');
}

static void add_threads(struct json_writer *json, const struct site_row *row)
{
    json_number(json, "alive", (long long)row->alive);
    json_number(json, "resident_bytes", (long long)row->rss_bytes);
    json_number(json, "huge_bytes", (long long)row->huge_bytes);
    json_number(json, "not_told", (long long)row->not_told);
}

static void add_site(struct json_writer *json, const struct site_row *row, struct symbols *symbols)
{
    const struct sites_site *site = &row->site;
    bool has_sizes = site->least_stack_bytes <= site->most_stack_bytes;
    json_open(json, NULL, '{');
    json_number(json, "created", (long long)site->created);
    json_number(json, "callers_stacks", (long long)site->callers_stacks);
    json_number(json, "default_sizes", (long long)site->default_sizes);
    number_if(json, "least_stack_bytes", has_sizes, site->least_stack_bytes);
    number_if(json, "most_stack_bytes", has_sizes, site->most_stack_bytes);
    number_if(json, "least_guard_bytes", has_sizes, site->least_guard_bytes);
    number_if(json, "most_guard_bytes", has_sizes, site->most_guard_bytes);
    add_threads(json, row);
    json_open(json, "frames", '[');
    for (uint32_t i = 0; i < site->frame_count; i++) {
        add_frame(json, symbols, site->frames[i]);
    }
    json_close(json, ']');
    json_bool(json, "cut", site->cut != 0);
    json_close(json, '}');
}

void sites_print_json(const struct sites_report *report, struct symbols *symbols)
{
    struct json_writer json = {.stream = stdout};
    json_open(&json, NULL, '{');
    json_number(&json, "pid", report->identity.pid);
    json_string(&json, "command", report->identity.name);
    json_string(&json, "library", report->library.path);
    json_number(&json, "version", report->head.version);
    json_bool(&json, "of_parent", report->of_parent);
    json_open(&json, "sites", '[');
    for (size_t i = 0; i < report->count; i++) {
        add_site(&json, &report->rows[i], symbols);
    }
    json_close(&json, ']');
    json_open(&json, "others", '{');
    add_threads(&json, &report->others);
    json_close(&json, '}');
    json_open(&json, "counters", '{');
    for (size_t i = 0; i < COUNTER_COUNT; i++) {
        json_number(&json, counters[i].name, (long long)counter_at(&report->head, i));
    }
    json_close(&json, '}');
    json_close(&json, '}');
}
