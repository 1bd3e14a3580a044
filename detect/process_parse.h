/* Text of /proc/PID/stat and /proc/PID/status to values. Pure. */
#ifndef THPFIX_DETECT_PROCESS_PARSE_H
#define THPFIX_DETECT_PROCESS_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct process_stat {
    char name[64];
    char state;
    bool kernel_thread;
    size_t threads;
    uint64_t start_ticks, rss_pages;
};

/* 0 or -EINVAL. A name may hold blanks and parentheses. */
int process_parse_stat(const char *text, size_t length, struct process_stat *ret_stat);

/* The value of a line such as "NSpid:\t123\t4" of /proc/PID/status: what follows the colon
 * and blanks, up to the newline. NULL where there is no such line. */
const char *process_status_value(const char *text, const char *name, size_t *ret_length);

#endif
