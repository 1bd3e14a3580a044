/* C source as the layering test sees it. */
#ifndef THPFIX_TESTS_SOURCE_TEXT_H
#define THPFIX_TESTS_SOURCE_TEXT_H

#include <stdbool.h>

/* The text of a file with its comments blanked, NUL-terminated; to be freed. */
char *source_read_without_comments(const char *path);

/* A string that is a path of the kernel's: "/proc/…", "/sys/…". */
bool source_names_kernel_path(const char *code);

/* A call of open, openat, fopen, opendir and their kin, or the number of such a system
 * call. Not root_open, not a member of that name. */
bool source_calls_open(const char *code);

#endif
