/* What `thpfix scan` reads, and the forms in which it shows it. */
#ifndef THPFIX_SHIM_CLI_SCAN_H
#define THPFIX_SHIM_CLI_SCAN_H

#include "shim/cli/inspection.h"
#include "shim/cli/table.h"

#include <stdbool.h>
#include <stddef.h>

/* A process with more than one thread. */
struct scan_row {
    struct process_identity identity;
    struct stack_totals totals;
    uint64_t rss_bytes, huge_bytes; /* of the whole process */
    const char *library;            /* inspect_library_word */
    bool in_bytes;                  /* exact numbers, not "1.5M" */
};

struct scan {
    struct scan_row *rows; /* worst first */
    size_t count, room;
    /* Processes: */
    size_t read;   /* with more than one thread, and read; rows may be fewer (--min) */
    size_t single; /* with one thread: they have no thread stacks */
    size_t denied, ended, failed;
    uint64_t back_bytes, huge_bytes, stack_rss_bytes; /* of all that were read */
};

enum scan_column {
    SCAN_PID,
    SCAN_COMMAND,
    SCAN_USER,
    SCAN_THREADS,
    SCAN_STACKS,
    SCAN_SIZE,
    SCAN_RESIDENT,
    SCAN_HUGE,
    SCAN_BACK,
    SCAN_RSS,
    SCAN_RSS_HUGE,
    SCAN_LIBRARY,
    SCAN_COLUMN_COUNT,
};

extern const struct table_column scan_columns[SCAN_COLUMN_COUNT];

/* Reads all processes but this one; keeps rows from which at least least_bytes would
 * return. 0, -EINTR when it was told to end (watch.h), or -errno. On success to be
 * freed. */
int scan_read(uint64_t least_bytes, bool in_bytes, struct scan *ret_scan);
void scan_free(struct scan *scan);

int scan_print_table(const struct scan *scan, const struct table_choice *choice); /* 0, -ENOMEM */
void scan_print_json(const struct scan *scan);
void scan_print_prometheus(const struct scan *scan);

#endif
