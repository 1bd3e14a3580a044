/* Lines of text in aligned columns, to stdout.
 *
 * By libsmartcols; where the command is built to need only the C library (THPFIX_PORTABLE) by a
 * few lines of our own, as that library is younger than the hosts and not packaged as an archive.
 */
#ifndef THPFIX_SHIM_CLI_TEXT_TABLE_H
#define THPFIX_SHIM_CLI_TEXT_TABLE_H

#include <stddef.h>

struct text_table;

/* NULL without memory. To be freed. columns: at least one. */
struct text_table *text_table_new(size_t columns);
void text_table_free(struct text_table *table);

/* Numbers stand at the right; all else at the left. */
void text_table_align_right(struct text_table *table, size_t column);

/* A line: one text for each column, copied. What a terminal could take for a command of its own,
 * or is not ASCII, becomes "\x1b" and the like. 0 or -ENOMEM. */
int text_table_add(struct text_table *table, const char *const texts[]);

/* Two columns are one space apart. */
void text_table_print(const struct text_table *table);

#endif
