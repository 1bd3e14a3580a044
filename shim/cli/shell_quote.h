/* Words as a POSIX shell reads them back. */
#ifndef THPFIX_SHIM_CLI_SHELL_QUOTE_H
#define THPFIX_SHIM_CLI_SHELL_QUOTE_H

#include <stdio.h>

/* Writes the word so that a shell takes it as that one word: bare where no character
 * of it means anything to a shell, else in single quotes. '=' counts as one that does:
 * a=b at the start of a command would be an assignment. */
void shell_quote(FILE *stream, const char *word);

#endif
