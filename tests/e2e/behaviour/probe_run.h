/* Runs the probe (probe.c) with the library preloaded and some settings. */
#ifndef THPFIX_TESTS_BEHAVIOUR_PROBE_RUN_H
#define THPFIX_TESTS_BEHAVIOUR_PROBE_RUN_H

#include "tests/e2e/behaviour/child.h"
#include <stdbool.h>
#include <stddef.h>

/* Of a driver's command line: LIBRARY PROBE. */
extern const char *probe_library;
extern const char *probe_program;

void probe_arguments(int argc, char **argv);

/* Runs the probe, whose thread must have been made and which must have ended well.
 * settings as for child_exec, after LD_PRELOAD=LIBRARY and no other THPFIX variable. */
void probe_run(const char *const settings[], struct child_output *ret_output);
void probe_run_with(const char *program, const char *argument, const char *const settings[],
                    struct child_output *ret_output);

/* The value of a line NAME=value of the probe's output, up to its end; false where there
 * is no such line. */
bool probe_text(const struct child_output *output, const char *name, char *ret_text, size_t size);

/* The same as a number; a missing line fails the check. */
long probe_number(const struct child_output *output, const char *name);

int count_lines(const char *text);

#endif
