#include "shim/cli/text_table.h"

#include <errno.h>
#include <libsmartcols.h>
#include <stdbool.h>
#include <stdlib.h>

struct text_table {
    struct libscols_table *lines;
    size_t column_count;
};

struct text_table *text_table_new(size_t columns)
{
    struct text_table *table = malloc(sizeof(*table));
    if (table == NULL) {
        return NULL;
    }
    scols_init_debug(0);
    *table = (struct text_table){scols_new_table(), columns};
    bool complete = table->lines != NULL;
    for (size_t i = 0; complete && i < columns; i++) {
        complete = scols_table_new_column(table->lines, NULL, 0, 0) != NULL;
    }
    if (!complete) {
        text_table_free(table);
        return NULL;
    }
    (void)scols_table_enable_noheadings(table->lines, 1); /* they are a line like the others */
    return table;
}

void text_table_free(struct text_table *table)
{
    if (table != NULL) {
        scols_unref_table(table->lines);
        free(table);
    }
}

void text_table_align_right(struct text_table *table, size_t column)
{
    (void)scols_column_set_flags(scols_table_get_column(table->lines, column), SCOLS_FL_RIGHT);
}

int text_table_add(struct text_table *table, const char *const texts[])
{
    struct libscols_line *line = scols_table_new_line(table->lines, NULL);
    int result = line == NULL ? -ENOMEM : 0;
    for (size_t i = 0; result == 0 && i < table->column_count; i++) {
        result = scols_line_set_data(line, i, texts[i]);
    }
    if (result != 0 && line != NULL) {
        scols_table_remove_line(table->lines, line);
    }
    return result;
}

/* What stdout does not take is found by output_finish, which knows why. */
void text_table_print(const struct text_table *table)
{
    (void)scols_print_table(table->lines);
}
