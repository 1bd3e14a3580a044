#include "shim/cli/table.h"
#include "shim/cli/message.h"
#include "shim/cli/nearest_word.h"

#include <ctype.h>
#include <errno.h>
#include <libsmartcols.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

int table_find_column(const char *command, const char *option, const char *name, size_t length,
                      const struct table_column *columns, size_t count)
{
    char word[32], upper[32];
    struct nearest_word nearest;
    for (size_t i = 0; i < count; i++) {
        if (strlen(columns[i].name) == length && strncasecmp(columns[i].name, name, length) == 0) {
            return (int)i;
        }
    }
    (void)snprintf(word, sizeof(word), "%.*s", (int)length, name);
    for (size_t i = 0; i < sizeof(word); i++) {
        upper[i] = (char)toupper((unsigned char)word[i]);
    }
    nearest_begin(&nearest, upper);
    for (size_t i = 0; i < count; i++) {
        nearest_offer(&nearest, columns[i].name);
    }
    if (nearest_result(&nearest) != NULL) {
        message(command, "%s: unknown column '%s': did you mean '%s'?", option, word,
                nearest_result(&nearest));
    } else {
        message(command, "%s: unknown column '%s': 'thpfix help %s' lists them", option, word,
                command);
    }
    return -1;
}

int table_choose(const char *command, const char *list, const struct table_column *columns,
                 size_t count, struct table_choice *choice)
{
    struct table_choice chosen = {0};
    if (list[0] == '+') {
        chosen = *choice;
        list++;
    }
    for (;;) {
        size_t length = strcspn(list, ",");
        int column = table_find_column(command, "--output", list, length, columns, count);
        if (column < 0) {
            return -EINVAL;
        }
        if (chosen.count == TABLE_COLUMNS_MAX) {
            message(command, "--output: more than %d columns", TABLE_COLUMNS_MAX);
            return -EINVAL;
        }
        chosen.columns[chosen.count++] = (size_t)column;
        if (list[length] == '\0') {
            break;
        }
        list += length + 1;
    }
    *choice = chosen;
    return 0;
}

static int add_row(struct libscols_table *table, const struct table_choice *choice, const void *row,
                   table_cell *cell)
{
    char text[TABLE_CELL_BYTES];
    struct libscols_line *line = scols_table_new_line(table, NULL);
    if (line == NULL) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < choice->count; i++) {
        text[0] = '\0';
        cell(row, choice->columns[i], text);
        int result = scols_line_set_data(line, i, text);
        if (result != 0) {
            return result;
        }
    }
    return 0;
}

int table_print(const struct table_column *columns, const struct table_choice *choice,
                const void *const *rows, size_t row_count, table_cell *cell)
{
    scols_init_debug(0);
    struct libscols_table *table = scols_new_table();
    int result = table == NULL ? -ENOMEM : 0;
    for (size_t i = 0; result == 0 && i < choice->count; i++) {
        const struct table_column *column = &columns[choice->columns[i]];
        int flags = column->right ? SCOLS_FL_RIGHT : 0;
        if (scols_table_new_column(table, column->name, 0, flags) == NULL) {
            result = -ENOMEM;
        }
    }
    for (size_t i = 0; result == 0 && i < row_count; i++) {
        result = add_row(table, choice, rows[i], cell);
    }
    /* What stdout does not take is found by output_finish, which knows why. */
    if (result == 0) {
        (void)scols_print_table(table);
    }
    scols_unref_table(table);
    return result;
}

void table_print_columns(const struct table_column *columns, size_t count)
{
    printf("Columns:\n");
    for (size_t i = 0; i < count; i++) {
        printf("  %-10s %s\n", columns[i].name, columns[i].help);
    }
}

void table_accept_short_option(char **arguments)
{
    static char output[] = "--output";
    for (; *arguments != NULL && strcmp(*arguments, "--") != 0; arguments++) {
        if (strcmp(*arguments, "-o") == 0) {
            *arguments = output;
        }
    }
}
