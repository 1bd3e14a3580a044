/* Where the glibc of another process keeps its threads. */
#ifndef THPFIX_SHIM_CLI_GLIBC_LAYOUT_H
#define THPFIX_SHIM_CLI_GLIBC_LAYOUT_H

#include "detect/process_descriptors.h"
#include "shim/cli/remote_library.h"
#include <sys/types.h>

/* File names: of the C library, its thread library before 2.34, the dynamic loader. */
bool glibc_is_libc(const char *path);
bool glibc_is_libpthread(const char *path);
bool glibc_is_loader(const char *path);

struct glibc_libraries {
    struct remote_library libc, libpthread, loader;
};

/* 0; -ENOENT where the process has no glibc that tells: another C library, a static
 * program, or an old one whose file was deleted; -ENOTSUP a 32-bit process; -errno of
 * a read. */
int glibc_layout_read(pid_t tid, const struct glibc_libraries *libraries,
                      struct glibc_layout *ret_layout);

#endif
