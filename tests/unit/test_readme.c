/* README.md's table of environment variables says what config_variables says. */
#include "shim/config.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROW_MAX   1024
#define ROW_START "\n| `THPFIX"

/* In a table a bar stands for itself only behind a backslash. */
static void escape_bars(const char *text, char *ret_escaped)
{
    do {
        if (*text == '|') {
            *ret_escaped++ = '\\';
        }
        *ret_escaped++ = *text;
    } while (*text++ != '\0');
}

static void row_of(const struct config_variable *variable, char *ret_row)
{
    char values[ROW_MAX / 4];
    escape_bars(variable->values, values);
    const char *tick = variable->default_value[0] != '\0' ? "`" : "";
    int length = snprintf(ret_row, ROW_MAX, "| `%s` | `%s` | %s%s%s | %s |\n", variable->name,
                          values, tick, variable->default_value, tick, variable->help);
    cr_assert_lt(length, ROW_MAX);
}

static char *whole_table(void)
{
    char *table = calloc(config_variable_count, ROW_MAX);
    cr_assert_not_null(table);
    for (size_t i = 0; i < config_variable_count; i++) {
        row_of(&config_variables[i], table + strlen(table));
    }
    return table;
}

static size_t count_rows(const char *text)
{
    size_t count = 0;
    while ((text = strstr(text, ROW_START)) != NULL) {
        count++;
        text++;
    }
    return count;
}

/* All rows, in order and next to each other, and no others anywhere. */
static bool has_table(const char *text)
{
    char *table = whole_table();
    bool found = strstr(text, table) != NULL && count_rows(text) == config_variable_count;
    free(table);
    return found;
}

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "re");
    cr_assert_not_null(file, "%s", path);
    char *text = NULL;
    size_t size = 0;
    cr_assert_gt(getdelim(&text, &size, '\0', file), 0, "%s is empty", path);
    fclose(file);
    return text;
}

Test(readme, has_the_table_of_variables)
{
    char *readme = read_file(THPFIX_SOURCE_DIR "/README.md");
    char *table = whole_table();
    cr_expect(has_table(readme), "the rows of README.md should be:\n%s", table);
    free(table);
    free(readme);
}

Test(readme, a_row_that_is_wrong_missing_or_too_many_is_noticed)
{
    char *table = whole_table();
    size_t size = strlen(table) + ROW_MAX;
    char *text = malloc(size);
    cr_assert_not_null(text);

    snprintf(text, size, "text\n%s\ntext", table);
    cr_expect(has_table(text));
    text[strlen(text) / 2] ^= 1;
    cr_expect_not(has_table(text));
    snprintf(text, size, "text\n%s\ntext", strchr(table, '\n') + 1);
    cr_expect_not(has_table(text));
    snprintf(text, size, "text\n%s| `THPFIX_OTHER` | `0|1` | `0` | other |\n", table);
    cr_expect_not(has_table(text));
    free(text);
    free(table);
}
