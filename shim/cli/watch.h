/* Doing the same thing again every few seconds, until Ctrl-C, and leaving the terminal as
 * it was. */
#ifndef THPFIX_SHIM_CLI_WATCH_H
#define THPFIX_SHIM_CLI_WATCH_H

#include <stdbool.h>

/* The value of --watch: seconds, with decimals or without, from 0.1 to a day. 0, or
 * -EINVAL, the complaint being made. */
int watch_parse(const char *command, const char *text, double *ret_seconds);

/* From now on SIGINT, SIGTERM and SIGHUP only make watch_ended true. */
void watch_begin(void);
bool watch_ended(void);

/* Ends this process by the signal that made it true, as the shell expects. */
void watch_die(void);

/* Clears the screen where stdout is a terminal. */
void watch_clear(void);

/* Writes out what was printed, then waits. False when it is time to end: a signal, or
 * output that nobody takes any more. */
bool watch_wait(double seconds);

/* "read 17 of 500" in one line on stderr that the next one, or watch_progress_end,
 * replaces. Nothing where stderr is no terminal. */
void watch_progress(const char *what, unsigned long done, unsigned long all);
void watch_progress_end(void);

#endif
