#include "shim/cli/text_table.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text_column {
    size_t width;
    bool right;
};

struct text_table {
    char **cells; /* line after line */
    size_t count;
    size_t room;
    size_t column_count;
    struct text_column columns[];
};

struct text_table *text_table_new(size_t columns)
{
    struct text_table *table =
        calloc(1, sizeof(struct text_table) + columns * sizeof(struct text_column));
    if (table != NULL) {
        table->column_count = columns;
    }
    return table;
}

void text_table_free(struct text_table *table)
{
    if (table == NULL) {
        return;
    }
    for (size_t i = 0; i < table->count; i++) {
        free(table->cells[i]);
    }
    free((void *)table->cells);
    free(table);
}

void text_table_align_right(struct text_table *table, size_t column)
{
    table->columns[column].right = true;
}

static char *printable(const char *text)
{
    char *copy = malloc(strlen(text) * strlen("\\x00") + 1);
    char *end = copy;
    if (copy == NULL) {
        return NULL;
    }
    for (; *text != '\0'; text++) {
        if (*text >= ' ' && *text <= '~') {
            *end++ = *text;
        } else {
            end += sprintf(end, "\\x%02x", (unsigned char)*text);
        }
    }
    *end = '\0';
    return copy;
}

static int make_room(struct text_table *table)
{
    if (table->count + table->column_count <= table->room) {
        return 0;
    }
    size_t room = table->room * 2 + table->column_count * 16;
    char **cells = (char **)realloc((void *)table->cells, room * sizeof(char *));
    if (cells == NULL) {
        return -ENOMEM;
    }
    table->cells = cells;
    table->room = room;
    return 0;
}

int text_table_add(struct text_table *table, const char *const texts[])
{
    if (make_room(table) != 0) {
        return -ENOMEM;
    }
    char **line = &table->cells[table->count];
    for (size_t i = 0; i < table->column_count; i++) {
        line[i] = printable(texts[i]);
        if (line[i] == NULL) {
            while (i-- > 0) {
                free(line[i]);
            }
            return -ENOMEM;
        }
    }
    for (size_t i = 0; i < table->column_count; i++) {
        size_t width = strlen(line[i]);
        if (width > table->columns[i].width) {
            table->columns[i].width = width;
        }
    }
    table->count += table->column_count;
    return 0;
}

static void print_line(const struct text_table *table, char *const *line)
{
    size_t owed = 0; /* spaces, printed only where something follows them */
    for (size_t i = 0; i < table->column_count; i++) {
        size_t length = strlen(line[i]);
        size_t padding = table->columns[i].width - length;
        size_t before = owed + (table->columns[i].right ? padding : 0);
        if (length > 0) {
            printf("%*s%s", (int)before, "", line[i]);
            owed = (table->columns[i].right ? 0 : padding) + 1;
        } else {
            owed += padding + 1;
        }
    }
    putchar('\n');
}

void text_table_print(const struct text_table *table)
{
    for (size_t i = 0; i < table->count; i += table->column_count) {
        print_line(table, &table->cells[i]);
    }
}
