/* The syntax of unit files (systemd.syntax(7)). Pure. */
#ifndef THPFIX_SHIM_CLI_UNIT_SYNTAX_H
#define THPFIX_SHIM_CLI_UNIT_SYNTAX_H

#include <stddef.h>

struct unit_assignment {
    const char *section, *key, *value; /* value: without blanks around it, lines joined */
    unsigned line;
};

/* Called for each assignment, in order; anything but 0 ends the parse. */
typedef int unit_assignment_taker(const struct unit_assignment *assignment, void *context);

/* What systemd would ignore with a warning is ignored. 0, -ENOMEM, or what the taker
 * returned. */
int unit_syntax_parse(const char *text, unit_assignment_taker *take, void *context);

/* The next word of a value, with quotes and escapes resolved as for Environment=, and
 * specifiers (%i) left as they are. 1; 0 at the end; -EINVAL for a quote that does not end;
 * -ENOBUFS for a word that does not fit. */
int unit_syntax_word(const char **rest, char *ret_word, size_t size);

/* The word as one that unit_syntax_word gives back: quoted where it has to be. 0, -ENOBUFS,
 * or -EINVAL for control characters. */
int unit_syntax_quote(const char *word, char *ret_text, size_t size);

#endif
