/* The value of LD_PRELOAD. Pure, but for the memory of the result. */
#ifndef THPFIX_SHIM_CLI_PRELOAD_LIST_H
#define THPFIX_SHIM_CLI_PRELOAD_LIST_H

#include <stdbool.h>
#include <stddef.h>

/* ld.so splits the list at colons and blanks and knows no escape: a path that holds
 * one of them cannot be preloaded. */
bool preload_list_can_hold(const char *path);

/* The list with the library in it, for free(). *ret_list is
 *   the runtimes, which must come before everything else,
 *   the library, unless it is there already,
 *   what was there (current; NULL: nothing), in its order.
 * An element with the library's file name, in whatever directory, is the library:
 * two copies in one process would both act. It keeps its place and gets our path.
 * An element with the file name of a runtime moves to the front.
 * 0 or -ENOMEM. */
int preload_list_merge(const char *current, const char *library, const char *const *runtimes,
                       size_t runtime_count, char **ret_list);

#endif
