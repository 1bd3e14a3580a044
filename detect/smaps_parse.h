/* /proc/PID/smaps text to mappings, in a stream of buffers of any size.
 *
 * Pure: no memory of its own beyond the struct, no locale, no stdio. Fields this
 * code does not know are skipped, whatever their form.
 */
#ifndef THPFIX_DETECT_SMAPS_PARSE_H
#define THPFIX_DETECT_SMAPS_PARSE_H

#include "detect/smaps_line.h"
#include <stdbool.h>
#include <stddef.h>

struct smaps_parser {
    struct smaps_mapping mapping; /* the one being gathered */
    bool in_mapping;
    bool skipping; /* the rest of a line longer than the buffer */
    size_t line_length;
    char line[512];
};

/* Called for each complete mapping; non-zero ends the parse and is handed back. */
typedef int smaps_callback(const struct smaps_mapping *mapping, void *context);

void smaps_parser_begin(struct smaps_parser *parser);

/* Feeds text. 0, or the callback's non-zero result; -EINVAL on a header line that
 * is none (the text is not smaps). After anything but 0 the parse is over, and the parser
 * must be begun again. */
int smaps_parser_feed(struct smaps_parser *parser, const char *text, size_t length,
                      smaps_callback *callback, void *context);

/* The text is over: hands out the last mapping, if it was complete. */
int smaps_parser_end(struct smaps_parser *parser, smaps_callback *callback, void *context);

#endif
