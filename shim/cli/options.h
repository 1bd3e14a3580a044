/* Long options, in a table from which parser and --help come.
 *
 * --name, --name VALUE and --name=VALUE; the first word that is no option ends them,
 * and so does --, which is taken. Every table has --help (-h) without saying so.
 */
#ifndef THPFIX_SHIM_CLI_OPTIONS_H
#define THPFIX_SHIM_CLI_OPTIONS_H

#include <stddef.h>

struct option {
    const char *name;  /* "dry-run" */
    const char *value; /* "PATH", for the help; NULL: it takes none */
    const char *help;
};

struct options {
    const char *command; /* for complaints */
    const struct option *table;
    size_t count;
    char **arguments; /* as argv: [0] is the command, NULL ends them */
    size_t next;      /* start with 1; at the end, the first argument left over */
};

enum {
    OPTIONS_END = -1,
    OPTIONS_HELP = -2,
    OPTIONS_BAD = -3, /* the complaint is made already */
};

/* The index of the next option in the table, with *ret_value its value (NULL where it
 * takes none), or one of the above. */
int options_next(struct options *options, const char **ret_value);

/* All options, which may stand before and behind the other words; behind --, there are only
 * words. Calls apply with each; not 0 from it is a bad option, the
 * complaint being made. 0, and arguments[1...NULL] are the words, in their order;
 * OPTIONS_HELP; OPTIONS_BAD. */
typedef int options_apply(int option, const char *value, void *context);
int options_read(const char *command, const struct option *table, size_t count, char **arguments,
                 options_apply *apply, void *context);

/* Prints the options with their help to stdout. */
void options_print(const struct option *table, size_t count);

#endif
