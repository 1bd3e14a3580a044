#include "shim/cli/table.h"
#include "shim/cli/message.h"
#include "shim/cli/nearest_word.h"
#include "shim/cli/text_table.h"

#include <ctype.h>
#include <errno.h>
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

int table_print(const struct table_column *columns, const struct table_choice *choice,
                const void *const *rows, size_t row_count, table_cell *cell)
{
    char cells[TABLE_COLUMNS_MAX][TABLE_CELL_BYTES];
    const char *texts[TABLE_COLUMNS_MAX];
    if (row_count == 0) {
        return 0; /* headings of nothing say nothing */
    }
    struct text_table *table = text_table_new(choice->count);
    if (table == NULL) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < choice->count; i++) {
        texts[i] = columns[choice->columns[i]].name;
        if (columns[choice->columns[i]].right) {
            text_table_align_right(table, i);
        }
    }
    int result = text_table_add(table, texts);
    for (size_t row = 0; result == 0 && row < row_count; row++) {
        for (size_t i = 0; i < choice->count; i++) {
            cells[i][0] = '\0';
            cell(rows[row], choice->columns[i], cells[i]);
            texts[i] = cells[i];
        }
        result = text_table_add(table, texts);
    }
    if (result == 0) {
        text_table_print(table);
    }
    text_table_free(table);
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
