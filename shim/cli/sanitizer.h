/* Sanitizer runtimes, which want to be loaded before any preloaded library: the
 * address sanitizer ends the program where one comes first. */
#ifndef THPFIX_SHIM_CLI_SANITIZER_H
#define THPFIX_SHIM_CLI_SANITIZER_H

#include <stdbool.h>
#include <stddef.h>

/* Is this DT_NEEDED name a sanitizer's runtime (libasan.so.8, libclang_rt.tsan.so)? Pure. */
bool sanitizer_is_runtime(const char *needed);

/* The sanitizer that a program contains when it defines this symbol ("address"), or
 * NULL. Pure. */
const char *sanitizer_of_symbol(const char *symbol);

/* The path of a runtime that a program needs, told by the program's own dynamic loader
 * with its --list: run paths, LD_LIBRARY_PATH, cache and all. 0; -ENOENT where the
 * loader does not find it; -errno. */
int sanitizer_resolve(const char *loader, const char *program, const char *needed, char *ret_path,
                      size_t size);

/* The path in a line of the loader's list, "\tNAME => PATH (0x…)" or "\tPATH (0x…)": 0, with
 * *ret_start and *ret_length the path within line, or -ENOENT when the line is about
 * something else. Pure. */
int sanitizer_path_in_line(const char *line, const char *needed, size_t *ret_start,
                           size_t *ret_length);

#endif
