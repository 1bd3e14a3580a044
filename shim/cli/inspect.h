/* The forms of what `thpfix inspect` shows. */
#ifndef THPFIX_SHIM_CLI_INSPECT_H
#define THPFIX_SHIM_CLI_INSPECT_H

#include "detect/process_tasks.h"
#include "shim/cli/inspection.h"
#include "shim/cli/table.h"

#include <stdbool.h>
#include <stddef.h>

/* A line of --threads. */
struct thread_row {
    const struct process_stack *stack;
    char name[PROCESS_TASK_NAME_BYTES];
    bool in_bytes; /* exact numbers, not "1.5M" */
};

enum thread_column {
    THREAD_TID,
    THREAD_NAME,
    THREAD_SIZE,
    THREAD_RESIDENT,
    THREAD_HUGE,
    THREAD_USED,
    THREAD_GUARD,
    THREAD_EXEMPT,
    THREAD_BACK,
    THREAD_ORIGIN,
    THREAD_MERGED,
    THREAD_BASE,
    THREAD_END,
    THREAD_COLUMN_COUNT,
};

extern const struct table_column thread_columns[THREAD_COLUMN_COUNT];

/* One row for each thread, its name read, in order of the column: numbers from the
 * largest down, names and TIDs up. To be freed. NULL without memory. */
struct thread_row *inspect_rows(const struct inspection *inspection, enum thread_column sort,
                                bool in_bytes);

/* A cell of thread_columns (a table_cell; row is a struct thread_row). */
void inspect_cell(const void *row, size_t column, char *ret_text);

/* The summary and the memory by kind. 0 or -errno. */
int inspect_print_text(const struct inspection *inspection, bool in_bytes);

/* One object; rows NULL leaves the threads out. Names and words are an interface; what is
 * not known is null. */
void inspect_print_json(const struct inspection *inspection, const struct thread_row *rows);

/* What the state of libthpfix in the process is called: "active". Static storage. */
const char *inspect_library_word(const struct library_seen *library);

/* Threads that must have been made past the library: more are alive than it ever saw. */
size_t inspect_bypassed(const struct inspection *inspection);

#endif
