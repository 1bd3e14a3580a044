/* Complaints and warnings of the command: one line each on stderr. */
#ifndef THPFIX_SHIM_CLI_MESSAGE_H
#define THPFIX_SHIM_CLI_MESSAGE_H

/* Writes "thpfix COMMAND: " (command NULL: "thpfix: "), the text and a newline in one
 * write. Control characters, which can only come with somebody's file name or
 * argument, become '?': the line stays one line, and the terminal as it was. */
__attribute__((format(printf, 2, 3))) void message(const char *command, const char *format, ...);

#endif
