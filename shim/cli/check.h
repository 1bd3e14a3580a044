/* The forms of a report (host_report.h) on stdout. */
#ifndef THPFIX_SHIM_CLI_CHECK_H
#define THPFIX_SHIM_CLI_CHECK_H

#include "shim/cli/host_report.h"

/* For people: the verdict, why, what to do, then the facts. 0 or -errno. */
int check_print_text(const struct host_report *report);

/* What to do about it, behind "To do:  ". */
void check_print_steps(const struct host_report *report);

/* For machines: one JSON object. Names and words are an interface; unknown is null. */
void check_print_json(const struct host_report *report);

#endif
