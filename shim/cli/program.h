/* From the command's name to the file that the kernel will start in the end. */
#ifndef THPFIX_SHIM_CLI_PROGRAM_H
#define THPFIX_SHIM_CLI_PROGRAM_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* The file that execvp(3) would take for name: itself where it holds a slash, else the
 * first executable file in search_path (NULL: the system's default). 0, -ENOENT,
 * -EACCES, or another -errno. */
int program_find(const char *name, const char *search_path, char *ret_path, size_t size);

/* Follows #! lines to the file in which the library has to work: the interpreter, or
 * what "env" is told to start; /bin/sh for a file without #! that is no ELF file, as
 * execvp does. *ret_path is path itself where it is no script. 0; -errno when a file on
 * the way cannot be read, with the file's path in *ret_path. */
int program_follow(const char *path, const char *search_path, char *ret_path, size_t size);

/* The interpreter in a file's first bytes: 1, with the interpreter's path and its one
 * argument ("" none), as the kernel splits them; 0 when there is no #!; -ENOEXEC when a
 * #! line is cut or empty. Pure. */
int program_parse_script(const char *text, size_t length, char *ret_interpreter,
                         size_t interpreter_size, char *ret_argument, size_t argument_size);

#endif
