#include "shim/cli/text_table.h"

#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <stdio.h>

static void print(struct text_table *table)
{
    cr_redirect_stdout();
    text_table_print(table);
    text_table_free(table);
    (void)fflush(stdout);
}

static void add(struct text_table *table, const char *first, const char *second, const char *third)
{
    cr_assert_eq(text_table_add(table, (const char *const[]){first, second, third}), 0);
}

Test(text_table, columns_are_as_wide_as_their_widest_text)
{
    struct text_table *table = text_table_new(3);
    text_table_align_right(table, 1);
    add(table, "NAME", "SIZE", "NOTE");
    add(table, "java", "4194304", "loaded");
    add(table, "mysqld_safe", "12", "not loaded");
    print(table);
    cr_assert_stdout_eq_str("NAME           SIZE NOTE\n"
                            "java        4194304 loaded\n"
                            "mysqld_safe      12 not loaded\n");
}

Test(text_table, a_number_in_the_last_column_stands_at_the_right)
{
    struct text_table *table = text_table_new(3);
    text_table_align_right(table, 2);
    add(table, "", "", "1");
    add(table, "a", "bc", "100");
    add(table, "abc", "", "20");
    print(table);
    cr_assert_stdout_eq_str("         1\na   bc 100\nabc     20\n");
}

Test(text_table, a_terminal_gets_no_commands)
{
    struct text_table *table = text_table_new(3);
    add(table, "\x1b[2J", "two\nlines", "\xc3\xa9");
    add(table, "a", "b", "c");
    print(table);
    cr_assert_stdout_eq_str("\\x1b[2J two\\x0alines \\xc3\\xa9\n"
                            "a       b            c\n");
}

Test(text_table, more_lines_than_there_was_room_for_at_first)
{
    struct text_table *table = text_table_new(3);
    char expected[100 * 8 + 1], *end = expected;
    for (int i = 0; i < 100; i++) {
        char number[16];
        (void)snprintf(number, sizeof(number), "%03d", i);
        add(table, number, "x", "y");
        end += sprintf(end, "%03d x y\n", i);
    }
    print(table);
    cr_assert_stdout_eq_str(expected);
}

Test(text_table, nothing_prints_nothing)
{
    print(text_table_new(3));
    cr_assert_stdout_eq_str("");
}
