/* Whether the program that a service starts can have a library preloaded. */
#include "shim/cli/elf_file.h"
#include "shim/cli/program.h"
#include "shim/cli/systemd_check.h"
#include "shim/cli/unit_syntax.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#define SCRIPT_DEPTH_MAX 5

/* A bare name is looked for where systemd looks. */
static int find_program(const struct systemd_target *target, const char *name, char *ret_path)
{
    static const char *const directories[] = {"/usr/local/sbin", "/usr/local/bin", "/usr/sbin",
                                              "/usr/bin",        "/sbin",          "/bin"};
    struct stat status;
    if (name[0] == '/') {
        (void)snprintf(ret_path, PATH_MAX, "%s", name);
        return 0;
    }
    for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]); i++) {
        int length = snprintf(ret_path, PATH_MAX, "%s/%s", directories[i], name);
        if (length < PATH_MAX && file_tree_stat(target->tree, ret_path, &status) == 0) {
            return 0;
        }
    }
    return -ENOENT;
}

/* From a script to the interpreter that the kernel starts for it. */
static int follow_scripts(const struct systemd_target *target, char *path)
{
    for (int depth = 0; depth < SCRIPT_DEPTH_MAX; depth++) {
        char head[257] = "", interpreter[257], argument[257];
        int fd = file_tree_open(target->tree, path, O_RDONLY | O_NONBLOCK);
        if (fd < 0) {
            return fd;
        }
        ssize_t length = read(fd, head, sizeof(head) - 1);
        (void)close(fd);
        int script = length <= 0
                         ? -ENOEXEC
                         : program_parse_script(head, (size_t)length, interpreter,
                                                sizeof(interpreter), argument, sizeof(argument));
        if (script <= 0) {
            return script;
        }
        (void)snprintf(path, PATH_MAX, "%s", interpreter);
    }
    return -ELOOP;
}

/* As ld.so sees it: AT_SECURE, in which it ignores LD_PRELOAD. */
static const char *secure_execution(const struct systemd_target *target, const char *path)
{
    struct stat status;
    char whole[PATH_MAX];
    if (unit_settings_true(target->settings, "NoNewPrivileges") ||
        unit_settings_true(target->settings, "DynamicUser") || !systemd_unprivileged(target) ||
        file_tree_stat(target->tree, path, &status) != 0 ||
        file_tree_path(target->tree, path, whole, sizeof(whole)) != 0) {
        return NULL;
    }
    const struct unit_setting *user = unit_settings_last(target->settings, "User");
    const struct passwd *entry = user != NULL ? getpwnam(user->value) : NULL;
    if ((status.st_mode & S_ISUID) != 0 && (entry == NULL || entry->pw_uid != status.st_uid)) {
        return "is set-user-ID";
    }
    if ((status.st_mode & S_ISGID) != 0 && (status.st_mode & S_IXGRP) != 0 &&
        (entry == NULL || entry->pw_gid != status.st_gid)) {
        return "is set-group-ID";
    }
    return getxattr(whole, "security.capability", NULL, 0) > 0 ? "has file capabilities" : NULL;
}

static void check_image(const struct systemd_target *target, struct systemd_findings *findings,
                        const char *path)
{
    struct elf_file image, library;
    char whole[PATH_MAX], library_path[PATH_MAX];
    if (file_tree_path(target->tree, path, whole, sizeof(whole)) != 0 ||
        elf_file_read(whole, &image) != 0) {
        return;
    }
    if (image.loader[0] == '\0' && !image.named) {
        systemd_defeat(target, findings,
                       "'%s' is statically linked: nothing can be preloaded into it; set the "
                       "host's THP to madvise instead (thpfix check)",
                       path);
        return;
    }
    if (strstr(image.loader, "/ld-musl-") != NULL) {
        systemd_defeat(target, findings,
                       "'%s' uses musl (%s): the library does nothing in it; set the host's THP "
                       "to madvise instead (thpfix check)",
                       path, image.loader);
    }
    if (image.runtime_count > 0) {
        systemd_defeat(target, findings,
                       "'%s' needs %s, which ends the program unless it comes first: set "
                       "LD_PRELOAD=%s:%s by hand",
                       path, image.runtimes[0], image.runtimes[0], target->library);
    }
    if (strchr(target->library, '$') == NULL &&
        file_tree_path(target->tree, target->library_file, library_path, sizeof(library_path)) ==
            0 &&
        elf_file_read(library_path, &library) == 0 &&
        (library.machine != image.machine || library.bits != image.bits)) {
        systemd_defeat(target, findings,
                       "'%s' is for another architecture than '%s': install the library for it "
                       "and name that with --library",
                       path, target->library);
    }
    const char *secure = secure_execution(target, path);
    if (secure != NULL) {
        systemd_defeat(target, findings,
                       "'%s' %s: ld.so ignores LD_PRELOAD for it; grant what it needs with "
                       "AmbientCapabilities= and clear the file's (setcap -r, chmod a-s)",
                       path, secure);
    }
}

void systemd_check_program(const struct systemd_target *target, struct systemd_findings *findings)
{
    const struct unit_setting *start = unit_settings_next(target->settings, "ExecStart", NULL);
    const struct unit_setting *root = unit_settings_last(target->settings, "RootDirectory");
    char word[PATH_MAX], path[PATH_MAX];
    if (start == NULL || root != NULL ||
        unit_settings_last(target->settings, "RootImage") != NULL) {
        return; /* in a root of its own: its programs are not those that we see */
    }
    const char *rest = start->value + strspn(start->value, "@-:+!|");
    if (unit_syntax_word(&rest, word, sizeof(word)) != 1 || strchr(word, '%') != NULL ||
        find_program(target, word, path) != 0) {
        return;
    }
    if (follow_scripts(target, path) == 0) {
        check_image(target, findings, path);
    }
}
