#include "shim/cli/systemctl.h"
#include "shim/cli/capture.h"
#include "shim/cli/message.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *manager_option(enum unit_scope scope)
{
    return scope == UNIT_USER ? "--user" : "--system";
}

/* Complains unless the command ended well. */
static int ask(const char *const *arguments, char **ret_out)
{
    char *out, *err;
    int status;
    int result = capture(arguments, &out, &err, &status);
    if (result == -ENOENT) {
        message("systemd", "there is no systemctl here: --root / works on the files alone");
        return result;
    }
    if (result != 0) {
        message("systemd", "cannot run systemctl: %s", strerror(-result));
        return result;
    }
    if (status != 0) {
        message("systemd", "systemctl %s failed: %s (%s--root / works on the files alone)",
                arguments[2], err[0] != '\0' ? err : "it does not say why",
                geteuid() != 0 && strcmp(arguments[1], "--user") != 0 ? "run it as root (sudo); "
                                                                      : "");
        free(out);
        out = NULL;
        result = -EIO;
    }
    free(err);
    if (result == 0) {
        *ret_out = out;
    }
    return result;
}

/* The value in a line "NAME=value". Static: the next call overwrites it. */
static const char *property(const char *text, const char *name)
{
    static char value[PATH_MAX];
    size_t length = strlen(name);
    for (const char *line = text; *line != '\0';) {
        size_t size = strcspn(line, "\n");
        if (size > length && strncmp(line, name, length) == 0 && line[length] == '=') {
            (void)snprintf(value, sizeof(value), "%.*s", (int)(size - length - 1),
                           line + length + 1);
            return value;
        }
        line += size + (line[size] == '\n');
    }
    return "";
}

int systemctl_show(enum unit_scope scope, const char *unit, struct systemctl_unit *ret_unit)
{
    const char *const arguments[] = {"systemctl", manager_option(scope),
                                     "show",      "--property=LoadState,ActiveState,MainPID",
                                     "--",        unit,
                                     NULL};
    char *out;
    int result = ask(arguments, &out);
    if (result != 0) {
        return result;
    }
    (void)snprintf(ret_unit->load_state, sizeof(ret_unit->load_state), "%s",
                   property(out, "LoadState"));
    const char *state = property(out, "ActiveState");
    ret_unit->active = strcmp(state, "active") == 0 || strcmp(state, "reloading") == 0 ||
                       strcmp(state, "activating") == 0;
    ret_unit->main_pid = (pid_t)strtol(property(out, "MainPID"), NULL, 10);
    free(out);
    return 0;
}

int systemctl_preload(enum unit_scope scope, char **ret_list)
{
    const char *const arguments[] = {"systemctl", manager_option(scope), "show-environment", NULL};
    char *out;
    int result = ask(arguments, &out);
    if (result != 0) {
        return result;
    }
    char *list = strdup(property(out, "LD_PRELOAD"));
    free(out);
    if (list == NULL) {
        return -ENOMEM;
    }
    *ret_list = list;
    return 0;
}

int systemctl_active(enum unit_scope scope, const char *pattern, char **ret_list)
{
    const char *const arguments[] = {"systemctl",      manager_option(scope),
                                     "list-units",     "--state=active,reloading,activating",
                                     "--type=service", "--plain",
                                     "--full",         "--no-legend",
                                     "--no-pager",     "--",
                                     pattern,          NULL};
    char *out;
    int result = ask(arguments, &out);
    if (result != 0) {
        return result;
    }
    /* Each line to its first word. */
    char *to = out;
    for (const char *line = out; strchr(line, '\n') != NULL;) {
        const char *next = strchr(line, '\n') + 1;
        line += strspn(line, " ");
        size_t length = strcspn(line, " \n");
        memmove(to, line, length);
        to += length;
        *to++ = '\n';
        line = next;
    }
    *to = '\0';
    *ret_list = out;
    return 0;
}

int systemctl_reload(enum unit_scope scope)
{
    const char *const arguments[] = {"systemctl", manager_option(scope), "daemon-reload", NULL};
    char *out;
    int result = ask(arguments, &out);
    if (result == 0) {
        free(out);
    }
    return result;
}
