/* Where libthpfix.so is: beside this command. */
#ifndef THPFIX_SHIM_CLI_LIBRARY_PATH_H
#define THPFIX_SHIM_CLI_LIBRARY_PATH_H

#include <stddef.h>

#define LIBRARY_FILE_NAME "libthpfix.so"

/* Looks at the places relative to this program's own file (/proc/self/exe) where the
 * library lies in an installation, wherever its prefix was moved to, and in a build
 * tree. 0; -ENOENT when it is in none of them; -ESRCH when there is no /proc, or another
 * -errno when the program's own file cannot be told. */
int library_path_find(char *ret_path, size_t size);

/* A path given by the user, made absolute: ld.so would look for a relative one below
 * the working directory of each child, and a bare file name in the system's library
 * directories. Symbolic links stay, they may be the stable name. 0 or -errno. */
int library_path_absolute(const char *given, char *ret_path, size_t size);

/* directory/relative, with each leading "../" of relative taken off directory. Pure;
 * directory is absolute and free of symbolic links. 0 or -ENAMETOOLONG. */
int library_path_join(const char *directory, const char *relative, char *ret_path, size_t size);

#endif
