/* The two forms of what `thpfix stat` shows. */
#ifndef THPFIX_SHIM_CLI_STAT_H
#define THPFIX_SHIM_CLI_STAT_H

#include "detect/process.h"
#include "shim/cli/counters_read.h"

struct stat_report {
    struct process_identity identity;
    struct remote_library library;
    struct counters_found found;
    struct counters before; /* with seconds > 0: what it was then */
    double seconds;
};

/* 0 or -errno. */
int stat_print_text(const struct stat_report *report);

/* Names and words are an interface. What the library does not have is left out. */
void stat_print_json(const struct stat_report *report);

#endif
