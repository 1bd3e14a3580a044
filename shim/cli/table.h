/* Tables with a choice of columns, as lsns(8) and lsblk(8) have them.
 *
 * A table of columns says what there is; cells come from a function. Sorting is the
 * caller's.
 */
#ifndef THPFIX_SHIM_CLI_TABLE_H
#define THPFIX_SHIM_CLI_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#define TABLE_COLUMNS_MAX 24
#define TABLE_CELL_BYTES  256

struct table_column {
    const char *name; /* "RESIDENT" */
    const char *help;
    bool right; /* a number */
};

struct table_choice {
    size_t count;
    size_t columns[TABLE_COLUMNS_MAX]; /* indices */
};

/* Understands -o LIST: "PID,HUGE", in any case; "+HUGE" adds to what was chosen before.
 * 0, or -EINVAL, the complaint being made, with *choice untouched. */
int table_choose(const char *command, const char *list, const struct table_column *columns,
                 size_t count, struct table_choice *choice);

/* The index of a column by its name, in any case; -1, the complaint being made, with the
 * nearest name. option is what was asked for: "--sort". */
int table_find_column(const char *command, const char *option, const char *name, size_t length,
                      const struct table_column *columns, size_t count);

/* Fills *ret_text (TABLE_CELL_BYTES) with the cell of a row in a column. */
typedef void table_cell(const void *row, size_t column, char *ret_text);

/* Prints it to stdout. rows: an array of pointers. 0 or -ENOMEM. */
int table_print(const struct table_column *columns, const struct table_choice *choice,
                const void *const *rows, size_t row_count, table_cell *cell);

/* The names with their help, for --help. */
void table_print_columns(const struct table_column *columns, size_t count);

/* -o in the arguments becomes --output. */
void table_accept_short_option(char **arguments);

#endif
