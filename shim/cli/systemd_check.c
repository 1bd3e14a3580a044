#include "shim/cli/systemd_check.h"
#include "detect/root_read.h"
#include "shim/cli/message.h"

#include <errno.h>
#include <glob.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* That of every glibc. The later one, of 2.27, differs in links that lead nowhere. */
#if defined(__GLIBC__) && defined(__x86_64__)
__asm__(".symver glob,glob@GLIBC_2.2.5");
#elif defined(__GLIBC__) && defined(__aarch64__)
__asm__(".symver glob,glob@GLIBC_2.17");
#endif

static void say(const struct systemd_target *target, const char *kind, const char *format,
                va_list arguments)
{
    char text[2048];
    (void)vsnprintf(text, sizeof(text), format, arguments);
    message("systemd", "%s: %s%s", target->unit, kind, text);
}

void systemd_defeat(const struct systemd_target *target, struct systemd_findings *findings,
                    const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(target, "", format, arguments);
    va_end(arguments);
    findings->defeats++;
}

void systemd_warning(const struct systemd_target *target, struct systemd_findings *findings,
                     const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(target, "warning: ", format, arguments);
    va_end(arguments);
    findings->warnings++;
}

const char *systemd_place(const struct systemd_target *target, const struct unit_setting *setting)
{
    static char text[PATH_MAX + 128];
    (void)snprintf(text, sizeof(text), "%s= in %s%s:%u", setting->key, target->tree->root,
                   target->settings->files->list[setting->file], setting->line);
    return text;
}

bool systemd_unprivileged(const struct systemd_target *target)
{
    const struct unit_setting *user = unit_settings_last(target->settings, "User");
    return unit_settings_true(target->settings, "DynamicUser") || target->scope != UNIT_SYSTEM ||
           (user != NULL && strcmp(user->value, "root") != 0 && strcmp(user->value, "0") != 0);
}

/* A line NAME=value in a file for EnvironmentFile=. */
static bool sets_preload(const char *text, char *ret_value, size_t size)
{
    bool found = false;
    for (const char *line = text; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        const char *start = line + strspn(line, " \t");
        if (strncmp(start, "LD_PRELOAD=", 11) == 0) {
            start += 11 + strspn(start + 11, "\"'");
            (void)snprintf(ret_value, size, "%.*s", (int)strcspn(start, "\"'\r\n"), start);
            found = true;
        }
        line += length + (line[length] == '\n');
    }
    return found;
}

static void check_environment_file(const struct systemd_target *target,
                                   struct systemd_findings *findings,
                                   const struct unit_setting *setting, const char *path)
{
    char value[SYSTEMD_PRELOAD_BYTES];
    char *text;
    int result = file_tree_read(target->tree, path, &text);
    if (result == -ENOENT || result == -ENOTDIR) {
        return; /* nothing is set, or the service does not start as it is */
    }
    if (result != 0) {
        systemd_warning(target, findings,
                        "cannot read '%s' (%s): an LD_PRELOAD in it would win over the drop-in; "
                        "look as root",
                        path, strerror(-result));
        return;
    }
    if (sets_preload(text, value, sizeof(value)) && systemd_preload_count(value) == 0) {
        systemd_defeat(target, findings,
                       "'%s' sets LD_PRELOAD (%s) and wins over any Environment=: put '%s:' in "
                       "front of the value there",
                       path, systemd_place(target, setting), target->library);
    }
    free(text);
}

static void check_environment_files(const struct systemd_target *target,
                                    struct systemd_findings *findings)
{
    const struct unit_setting *setting = NULL;
    while ((setting = unit_settings_next(target->settings, "EnvironmentFile", setting)) != NULL) {
        const char *path = setting->value + (setting->value[0] == '-');
        char whole[PATH_MAX];
        glob_t found = {0};
        size_t root = strlen(target->tree->root);
        if (strchr(path, '%') != NULL) {
            systemd_warning(target, findings,
                            "%s: '%s' was not looked into; an LD_PRELOAD in it would win over "
                            "the drop-in",
                            systemd_place(target, setting), path);
        } else if (file_tree_path(target->tree, path, whole, sizeof(whole)) == 0 &&
                   strpbrk(path, "*?[") != NULL && glob(whole, 0, NULL, &found) == 0) {
            for (size_t i = 0; i < found.gl_pathc; i++) {
                check_environment_file(target, findings, setting, found.gl_pathv[i] + root);
            }
            globfree(&found);
        } else if (path[0] == '/') {
            check_environment_file(target, findings, setting, path);
        }
    }
}

static void check_environment(const struct systemd_target *target,
                              struct systemd_findings *findings)
{
    const struct systemd_preload *preload = target->preload;
    if (preload->unset_by != NULL) {
        systemd_defeat(target, findings, "%s takes LD_PRELOAD away again: remove it from that line",
                       systemd_place(target, preload->unset_by));
    }
    if (preload->overruled_by != NULL && !preload->overruled_with_us) {
        systemd_defeat(target, findings,
                       "%s comes after " UNIT_DROP_IN " and overrules it: rename that file so that "
                       "it sorts before, or put the library there: LD_PRELOAD=%s",
                       systemd_place(target, preload->overruled_by), target->library);
    }
    check_environment_files(target, findings);
}

/* Whether a change of context makes ld.so drop LD_PRELOAD is up to the policy. */
static void check_contexts(const struct systemd_target *target, struct systemd_findings *findings)
{
    const struct unit_setting *context = unit_settings_last(target->settings, "SELinuxContext");
    char enforce[8] = "";
    bool here = target->tree->root[0] == '\0';
    if (context != NULL ||
        (here && target->scope == UNIT_SYSTEM &&
         root_read(ROOT_HOST, "/sys/fs/selinux/enforce", enforce, sizeof(enforce)) > 0 &&
         enforce[0] == '1')) {
        systemd_warning(target, findings,
                        "%s: where the service changes its domain ld.so drops LD_PRELOAD in "
                        "silence, unless the policy grants noatsecure; after the restart "
                        "'thpfix systemd %s' tells whether the library is there",
                        context != NULL ? systemd_place(target, context) : "SELinux is enforcing",
                        target->unit);
    }
}

void systemd_check(const struct systemd_target *target, struct systemd_findings *ret_findings)
{
    *ret_findings = (struct systemd_findings){0};
    check_environment(target, ret_findings);
    systemd_check_files(target, ret_findings);
    systemd_check_program(target, ret_findings);
    systemd_check_calls(target, ret_findings);
    check_contexts(target, ret_findings);
}
