#include "shim/cli/launch.h"
#include "shim/cli/message.h"

#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

/* Why the kernel will start the file in secure-execution mode (AT_SECURE), in which
 * ld.so ignores LD_PRELOAD paths; NULL: it will not. */
static const char *secure_execution(const char *path)
{
    struct stat status;
    struct statvfs file_system;
    if (stat(path, &status) != 0 || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ||
        (statvfs(path, &file_system) == 0 && (file_system.f_flag & ST_NOSUID) != 0)) {
        return NULL;
    }
    if ((status.st_mode & S_ISUID) != 0 && status.st_uid != getuid()) {
        return "is set-user-ID";
    }
    /* Without group execution the bit once meant mandatory locking. */
    if ((status.st_mode & S_ISGID) != 0 && (status.st_mode & S_IXGRP) != 0 &&
        status.st_gid != getgid()) {
        return "is set-group-ID";
    }
    if (getuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0) {
        return "has file capabilities";
    }
    return NULL;
}

static bool other_libc(const char *loader)
{
    static const char *const loaders[] = {"ld-musl-", "ld-uClibc", "linker"};
    const char *slash = strrchr(loader, '/');
    const char *name = slash != NULL ? slash + 1 : loader;
    for (size_t i = 0; i < sizeof(loaders) / sizeof(loaders[0]); i++) {
        if (strncmp(name, loaders[i], strlen(loaders[i])) == 0) {
            return true;
        }
    }
    return false;
}

static void warn_architecture(const struct launch *launch)
{
    const struct elf_file *image = &launch->image_file, *library = &launch->library_file;
    if (image->bits != library->bits) {
        message("run",
                "warning: '%s' is a %u-bit program and the library is a %u-bit one: ld.so "
                "will say so and start it without; install the library for both and give "
                "--library '/usr/$LIB/libthpfix.so'",
                launch->image, image->bits, library->bits);
    } else if (image->machine != library->machine) {
        message("run",
                "warning: '%s' is a program for another processor than the library: it will "
                "start without; give the library for that processor with --library PATH",
                launch->image);
    }
}

/* env, shells and launchers: what is meant is a program that the script starts. */
static void warn_inheritance(const struct launch *launch)
{
    const char *origin;
    const char *inherit = run_options_text(launch->options, "THPFIX_INHERIT", &origin);
    if (strcmp(launch->program, launch->image) != 0 && inherit != NULL &&
        strcmp(inherit, "0") == 0) {
        message("run",
                "warning: '%s' is a script, and with THPFIX_INHERIT=0 the programs that it starts "
                "go without the library",
                launch->program);
    }
}

void launch_warn(const struct launch *launch)
{
    const struct elf_file *image = &launch->image_file;
    if (launch->image_error != 0) {
        return;
    }
    /* The dynamic loader, started as a command, has no loader of its own, but a name. */
    if (image->loader[0] == '\0' && !image->named) {
        message("run",
                "warning: '%s' is statically linked: no library can be preloaded, it will "
                "start without",
                launch->image);
        return;
    }
    const char *secure = secure_execution(launch->image);
    if (secure != NULL) {
        message("run",
                "warning: '%s' %s: ld.so ignores LD_PRELOAD for it, it will start without "
                "the library; start thpfix as the user that it changes to",
                launch->image, secure);
    }
    if (other_libc(image->loader)) {
        message("run",
                "warning: '%s' uses another C library than glibc (%s): the library will do "
                "nothing in it",
                launch->image, image->loader);
    }
    if (launch->library_read) {
        warn_architecture(launch);
    }
    warn_inheritance(launch);
}
