#include "shim/cli/unit_files.h"

#include <errno.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((format(printf, 2, 3))) static int add(struct unit_paths *paths, const char *format,
                                                     ...)
{
    char *path = paths->list[paths->count];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(path, PATH_MAX, format, arguments);
    va_end(arguments);
    if (length < 0 || length >= PATH_MAX) {
        return -ENAMETOOLONG;
    }
    paths->count++;
    return 0;
}

static int add_all(struct unit_paths *paths, const char *base, const char *const *ends,
                   size_t count)
{
    int result = 0;
    for (size_t i = 0; result == 0 && i < count; i++) {
        result = add(paths, "%s%s", base, ends[i]);
    }
    return result;
}
#define ADD_ALL(paths, base, ends) add_all(paths, base, ends, sizeof(ends) / sizeof((ends)[0]))

static int add_system(struct unit_paths *paths)
{
    static const char *const ends[] = {
        "/etc/systemd/system.control", "/run/systemd/system.control",
        "/run/systemd/transient",      "/run/systemd/generator.early",
        "/etc/systemd/system",         "/etc/systemd/system.attached",
        "/run/systemd/system",         "/run/systemd/system.attached",
        "/run/systemd/generator",      "/usr/local/lib/systemd/system",
        "/usr/lib/systemd/system",     "/lib/systemd/system",
        "/run/systemd/generator.late",
    };
    (void)snprintf(paths->own, sizeof(paths->own), "%s", "/etc/systemd/system");
    return ADD_ALL(paths, "", ends);
}

static const char *environment_path(const char *name)
{
    const char *path = getenv(name);
    return path != NULL && path[0] == '/' ? path : NULL;
}

/* The directories in a user's home and runtime directory. */
static int add_personal(struct unit_paths *paths)
{
    static const char *const run[] = {"/systemd/user.control", "/systemd/transient",
                                      "/systemd/generator.early"};
    const char *runtime = environment_path("XDG_RUNTIME_DIR");
    const char *config = environment_path("XDG_CONFIG_HOME");
    const char *data = environment_path("XDG_DATA_HOME");
    const char *home = environment_path("HOME");
    const struct passwd *user = home == NULL ? getpwuid(geteuid()) : NULL;
    home = user != NULL ? user->pw_dir : home;
    if (home == NULL) {
        return -ENOENT;
    }
    int length = config != NULL
                     ? snprintf(paths->own, sizeof(paths->own), "%s/systemd/user", config)
                     : snprintf(paths->own, sizeof(paths->own), "%s/.config/systemd/user", home);
    if (length < 0 || (size_t)length >= sizeof(paths->own)) {
        return -ENAMETOOLONG;
    }
    int result = add(paths, "%s.control", paths->own);
    if (result == 0 && runtime != NULL) {
        result = ADD_ALL(paths, runtime, run);
    }
    result = result != 0 ? result : add(paths, "%s", paths->own);
    result = result != 0 ? result : add(paths, "/etc/systemd/user");
    if (result == 0 && runtime != NULL) {
        result = add(paths, "%s/systemd/user", runtime);
    }
    if (result != 0) {
        return result;
    }
    return data != NULL ? add(paths, "%s/systemd/user", data)
                        : add(paths, "%s/.local/share/systemd/user", home);
}

int unit_paths_make(enum unit_scope scope, struct unit_paths *ret_paths)
{
    static const char *const everybody[] = {"/etc/systemd/user", "/run/systemd/user",
                                            "/usr/local/lib/systemd/user", "/usr/lib/systemd/user"};
    ret_paths->count = 0;
    if (scope == UNIT_SYSTEM) {
        return add_system(ret_paths);
    }
    if (scope == UNIT_USER) {
        int result = add_personal(ret_paths);
        return result != 0 ? result : ADD_ALL(ret_paths, "", everybody);
    }
    (void)snprintf(ret_paths->own, sizeof(ret_paths->own), "%s", everybody[0]);
    return ADD_ALL(ret_paths, "", everybody);
}
