/* Symbols of a file that a process has mapped, those of no use to the loader included:
 * glibc before 2.34 keeps what it tells debuggers among them. */
#ifndef THPFIX_SHIM_CLI_ELF_SYMBOLS_H
#define THPFIX_SHIM_CLI_ELF_SYMBOLS_H

#include "shim/cli/remote_library.h"
#include <stdint.h>
#include <sys/types.h>

/* Opens the very file that is mapped, through the process's own view of its file systems;
 * another file that now has its name is refused. A descriptor; -ESTALE the file has
 * been deleted or replaced, and this user may not reach it; another -errno. */
int elf_symbols_open_file(pid_t tid, const struct remote_library *library);

/* Looks count names up at once; *ret_values gets the addresses in the file, 0 where there
 * is no such symbol. 0 or -ENOEXEC. */
int elf_symbols_find(int fd, const char *const *names, size_t count, uint64_t *ret_values);

#endif
