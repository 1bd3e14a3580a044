/* Lines on stderr or in a file, by write(2) alone. Off by default.
 *
 * One write per line, so that lines of several processes do not mix. No allocation,
 * no stdio, no cancellation point, errno untouched; a line that cannot be written is
 * lost silently: the program we live in comes first. Any thread, after fork.
 */
#ifndef THPFIX_SHIM_LOG_H
#define THPFIX_SHIM_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A line under construction; what does not fit is cut. */
struct log_line {
    size_t length;
    char text[2048];
};

void log_begin(struct log_line *line); /* "thpfix[PID]: " */
/* Control characters become '?': a line stays one line, and harmless to a terminal. */
void log_text(struct log_line *line, const char *text);
/* The same, of a text of any length: cut to 80 bytes, and "..." says so. */
void log_text_cut(struct log_line *line, const char *text);
void log_number(struct log_line *line, uint64_t number);

/* Writes line and newline to stderr, whatever THPFIX_LOG says: for bad values. */
void log_complain(struct log_line *line);

/* Where THPFIX_LOG goes: "" nowhere, "stderr", or a path shorter than CONFIG_LOG_PATH_MAX,
 * which is copied, and opened for each line (O_APPEND | O_CLOEXEC), so that no descriptor
 * of ours stands in the program's table. "stderr" is what descriptor 2 is now: a program
 * that puts something else there finds nothing of ours in it. While the library starts,
 * once. */
void log_set_target(const char *target);

/* Is there a target? Without one, lines need not be made. */
bool log_is_on(void);

/* Writes line and newline to that target, if any. */
void log_write(struct log_line *line);

#endif
