/* sysfs text to values. Pure: no memory, no locale, any thread, in a signal handler.
 *
 * Text need not end in NUL; bytes after length are never read. Untouched outputs
 * on failure.
 */
#ifndef THPFIX_DETECT_THP_PARSE_H
#define THPFIX_DETECT_THP_PARSE_H

#include "detect/thp_state.h"
#include <stddef.h>

/* "always [madvise] never\n": the word in brackets. Exactly one word must be
 * bracketed, and the text must end in a newline (a text cut short does not).
 * On success *ret_start and *ret_length give the word within text.
 * 0, or -EINVAL. */
int thp_parse_choice(const char *text, size_t length, size_t *ret_start, size_t *ret_length);

/* The same, as a mode. A bracketed word other than always, madvise, never and
 * inherit is THP_MODE_UNKNOWN with -EINVAL. */
int thp_parse_mode(const char *text, size_t length, enum thp_mode *ret_mode);

/* A decimal number and a newline, nothing else. 0, -EINVAL, or -ERANGE above
 * SIZE_MAX. */
int thp_parse_number(const char *text, size_t length, size_t *ret_number);

/* "always", …; "unknown" for anything that is no mode. Static storage. */
const char *thp_mode_name(enum thp_mode mode);

#endif
