/* The lines that most of /proc/PID/smaps consists of, "Rss:                  12 kB",
 * many at once: a large process has half a million of them, and few matter.
 *
 * Pure: no memory of its own, no locale, no stdio; any thread, in a signal handler.
 */
#ifndef THPFIX_DETECT_SMAPS_SIZES_H
#define THPFIX_DETECT_SMAPS_SIZES_H

#include "detect/smaps_line.h"
#include <stddef.h>

/* Reads lines from the start of text on, as smaps_line_parse_field would each of them, and
 * stops before the first that has not the length and the ending that the kernel gives
 * sizes. Returns how many bytes they are, newlines included. */
size_t smaps_sizes_parse(const char *text, size_t length, struct smaps_mapping *mapping);

#endif
