#include "detect/verdict.h"
#include "shim/cli/inspect.h"
#include "shim/cli/text_size.h"

#include <errno.h>
#include <stdio.h>

enum {
    KIND_NAME,
    KIND_MAPS,
    KIND_SIZE,
    KIND_RESIDENT,
    KIND_HUGE,
    KIND_SHARE,
    KIND_SWAP,
    KIND_COLUMNS
};

static const struct table_column kind_columns[KIND_COLUMNS] = {
    [KIND_NAME] = {"MEMORY", "", false}, [KIND_MAPS] = {"MAPPINGS", "", true},
    [KIND_SIZE] = {"SIZE", "", true},    [KIND_RESIDENT] = {"RESIDENT", "", true},
    [KIND_HUGE] = {"HUGE", "", true},    [KIND_SHARE] = {"HUGE%", "", true},
    [KIND_SWAP] = {"SWAPPED", "", true},
};

struct kind_row {
    const char *name;
    const struct memory_sum *sum;
    bool in_bytes;
};

static void print_bytes(const struct kind_row *row, uint64_t bytes, char *ret_text)
{
    if (row->in_bytes) {
        (void)snprintf(ret_text, TABLE_CELL_BYTES, "%llu", (unsigned long long)bytes);
    } else {
        text_size(bytes, ret_text);
    }
}

static void kind_cell(const void *row_of_table, size_t column, char *ret_text)
{
    const struct kind_row *row = row_of_table;
    switch (column) {
    case KIND_NAME:
        (void)snprintf(ret_text, TABLE_CELL_BYTES, "%s", row->name);
        break;
    case KIND_MAPS:
        (void)snprintf(ret_text, TABLE_CELL_BYTES, "%llu", (unsigned long long)row->sum->mappings);
        break;
    case KIND_SIZE:
        print_bytes(row, row->sum->size_bytes, ret_text);
        break;
    case KIND_RESIDENT:
        print_bytes(row, row->sum->rss_bytes, ret_text);
        break;
    case KIND_HUGE:
        print_bytes(row, row->sum->huge_bytes, ret_text);
        break;
    case KIND_SHARE:
        (void)snprintf(ret_text, TABLE_CELL_BYTES, "%llu",
                       row->sum->rss_bytes != 0
                           ? (unsigned long long)(row->sum->huge_bytes * 100 / row->sum->rss_bytes)
                           : 0);
        break;
    default:
        print_bytes(row, row->sum->swap_bytes, ret_text);
        break;
    }
}

static int print_kinds(const struct inspection *inspection, bool in_bytes)
{
    static const char *const names[MEMORY_KIND_COUNT] = {
#define KIND_WORDS(name, word, words) [MEMORY_##name] = (words),
        MEMORY_KINDS(KIND_WORDS)
#undef KIND_WORDS
    };
    static const struct table_choice choice = {
        KIND_COLUMNS,
        {KIND_NAME, KIND_MAPS, KIND_SIZE, KIND_RESIDENT, KIND_HUGE, KIND_SHARE, KIND_SWAP}};
    struct kind_row rows[MEMORY_KIND_COUNT + 1];
    const void *pointers[MEMORY_KIND_COUNT + 1];
    for (size_t i = 0; i < MEMORY_KIND_COUNT; i++) {
        rows[i] = (struct kind_row){names[i], &inspection->maps.kinds[i], in_bytes};
        pointers[i] = &rows[i];
    }
    rows[MEMORY_KIND_COUNT] = (struct kind_row){"all", &inspection->maps.total, in_bytes};
    pointers[MEMORY_KIND_COUNT] = &rows[MEMORY_KIND_COUNT];
    return table_print(kind_columns, &choice, pointers, MEMORY_KIND_COUNT + 1, kind_cell);
}

const char *inspect_library_word(const struct library_seen *library)
{
    switch (library->state) {
    case LIBRARY_KEPT_OUT:
        return "kept out";
    case LIBRARY_FOREIGN:
        return "unreadable";
    case LIBRARY_READ:
        return verdict_kind_name((enum verdict_kind)library->found.counters.verdict_kind);
    case LIBRARY_ABSENT:
        break;
    }
    return "not loaded";
}

size_t inspect_bypassed(const struct inspection *inspection)
{
    const struct library_seen *library = &inspection->library;
    size_t made = inspection->stacks.count > 0 ? inspection->stacks.count - 1 : 0;
    uint64_t seen = library->found.counters.threads_seen;
    return library->state == LIBRARY_READ && made > seen ? made - (size_t)seen : 0;
}

static void print_library(const struct inspection *inspection)
{
    const struct library_seen *library = &inspection->library;
    const struct counters *counters = &library->found.counters;
    switch (library->state) {
    case LIBRARY_ABSENT:
        printf("libthpfix:      not loaded\n");
        return;
    case LIBRARY_KEPT_OUT:
        printf("libthpfix:      LD_PRELOAD names it, but it is not loaded: "
               "'thpfix run --explain' tells why\n");
        return;
    case LIBRARY_FOREIGN:
        printf("libthpfix:      loaded, but 'thpfix stat %d' cannot read it\n",
               (int)inspection->identity.pid);
        return;
    case LIBRARY_READ:
        break;
    }
    printf("libthpfix:      %s: %s; %llu threads seen\n", inspect_library_word(library),
           verdict_reason_sentence((enum verdict_reason)counters->verdict_reason),
           (unsigned long long)counters->threads_seen);
    if (inspect_bypassed(inspection) != 0) {
        printf("                bypassed: at least %zu of the threads were made past it\n",
               inspect_bypassed(inspection));
    }
}

static void print_stacks(const struct inspection *inspection)
{
    const struct stack_totals *totals = &inspection->totals;
    char size[TEXT_SIZE_BYTES], rss[TEXT_SIZE_BYTES], huge[TEXT_SIZE_BYTES], back[TEXT_SIZE_BYTES];
    text_size(totals->size_bytes, size);
    text_size(totals->rss_bytes, rss);
    text_size(totals->huge_bytes, huge);
    text_size(totals->back_bytes, back);
    printf("Thread stacks:  %zu, of %zu threads; %s reserved, %s resident, %s in huge pages\n",
           totals->stacks, inspection->stacks.count, size, rss, huge);
    printf("Would return:   %s%s\n", back,
           totals->back_bytes != 0 ? " of huge pages, or what is left of them, that no thread uses"
                                   : "");
    if (totals->stacks != 0) {
        printf("Exempt:         %zu of %zu stacks are kept free of huge pages by the kernel\n",
               totals->exempt, totals->stacks);
    }
}

/* What the numbers above do not hold. */
static void print_notes(const struct inspection *inspection)
{
    const struct stack_totals *totals = &inspection->totals;
    if (totals->not_judged != 0) {
        printf("Not known:      what %zu of the stacks would return: their threads are running,\n"
               "                on another stack, or may not be asked\n",
               totals->not_judged);
    }
    if (totals->untold != 0) {
        const char *reason = "glibc's list changed while it was read";
        if (inspection->threads_error == -ENOTSUP) {
            reason = "a 32-bit program";
        } else if (inspection->threads_error == -EPERM || inspection->threads_error == -EACCES) {
            reason = "its memory may not be read: run it as root";
        } else if (inspection->threads_error != 0) {
            reason = "no glibc, or a static program";
        } else if (inspection->threads_complete) {
            reason = "glibc does not know these threads, or not their stacks";
        }
        printf("Not known:      %zu of the stacks (%s)\n", totals->untold, reason);
    }
    if (totals->rss_unknown + totals->huge_unknown != 0) {
        printf("Not known:      which stack some memory belongs to: their mappings are merged\n");
    }
}

int inspect_print_text(const struct inspection *inspection, bool in_bytes)
{
    printf("%s (PID %d)\n", inspection->identity.name, (int)inspection->identity.pid);
    print_stacks(inspection);
    print_library(inspection);
    print_notes(inspection);
    printf("\n");
    return print_kinds(inspection, in_bytes);
}
