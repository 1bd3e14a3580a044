#include "shim/cli/commands.h"
#include "shim/cli/drop_in.h"
#include "shim/cli/message.h"
#include "shim/cli/output.h"
#include "shim/cli/shell_quote.h"
#include "shim/cli/systemd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_command(enum unit_scope scope, const char *unit)
{
    printf("To take effect: systemctl %srestart %s", scope == UNIT_USER ? "--user " : "",
           unit[0] == '-' ? "-- " : "");
    shell_quote(stdout, unit);
    printf("\n");
}

void systemd_print_restart(enum unit_scope scope, const struct unit_name *name)
{
    char pattern[UNIT_NAME_BYTES + 1], *list;
    const char *at = strchr(name->text, '@');
    (void)snprintf(pattern, sizeof(pattern), "%s", name->text);
    if (name->is_template) {
        (void)snprintf(pattern, sizeof(pattern), "%.*s@*.service", (int)(at - name->text),
                       name->text);
    } else {
        /* A backslash would be one of the pattern's. */
        for (char *p = strchr(pattern, '\\'); p != NULL; p = strchr(p, '\\')) {
            *p = '?';
        }
    }
    if (systemctl_active(scope, pattern, &list) != 0) {
        return;
    }
    char *rest = NULL;
    for (char *unit = strtok_r(list, "\n", &rest); unit != NULL;
         unit = strtok_r(NULL, "\n", &rest)) {
        print_command(scope, unit);
    }
    free(list);
}

/* Whose work it is that the library is there already; NULL: nobody's. */
static int refuse_other(const struct systemd_job *job)
{
    const struct systemd_preload *preload = &job->preload;
    struct systemd_target target = {.tree = &job->tree, .settings = &job->settings};
    const struct unit_setting *by = preload->times > 0 ? preload->set_by : preload->overruled_by;
    char times[32] = "";
    if (preload->times > 1) {
        (void)snprintf(times, sizeof(times), ", %u times", preload->times);
    }
    message("systemd",
            "%s has the library already%s, by %s: nothing to do; for a drop-in by thpfix "
            "take it out there first",
            job->name.text, times,
            by != NULL ? systemd_place(&target, by)
                       : "systemd's own environment (DefaultEnvironment=)");
    return STATUS_FAILED;
}

/* Other units may read the directory under another name. */
static int refuse_link(const struct systemd_job *job)
{
    char target[PATH_MAX];
    if (job->request->force ||
        file_tree_link(&job->tree, job->files.own_directory, target, sizeof(target)) < 0) {
        return 0;
    }
    message("systemd",
            "'%s%s' is a link to '%s', which may be there for other units as well: make it a "
            "directory, or write there with --force",
            job->tree.root, job->files.own_directory, target);
    return STATUS_FAILED;
}

static int finish(const struct systemd_job *job)
{
    if (job->live) {
        if (systemctl_reload(job->request->scope) != 0) {
            return STATUS_FAILED;
        }
        systemd_print_restart(job->request->scope, &job->name);
    }
    return output_finish("systemd") == 0 ? 0 : STATUS_FAILED;
}

int systemd_install(struct systemd_job *job)
{
    const char *path = job->files.own;
    if (job->own_text != NULL && !systemd_preload_is_ours(job->own_text)) {
        message("systemd", "'%s%s' was not made by thpfix: rename it first", job->tree.root, path);
        return STATUS_FAILED;
    }
    if (job->preload.times > 0 || job->preload.overruled_with_us) {
        return refuse_other(job);
    }
    if (job->findings.defeats > 0 && !job->request->force) {
        message("systemd", "%s: nothing was changed; --force installs the drop-in all the same",
                job->name.text);
        return STATUS_FAILED;
    }
    if (job->own_text == NULL && job->by_other) {
        printf("Already in place: %s%s\n", job->tree.root, job->files.namesake);
        return output_finish("systemd") == 0 ? 0 : STATUS_FAILED;
    }
    if (job->own_text != NULL && strcmp(job->own_text, job->text) == 0) {
        printf("Already in place: %s%s\n", job->tree.root, path);
        return output_finish("systemd") == 0 ? 0 : STATUS_FAILED;
    }
    if (refuse_link(job) != 0) {
        return STATUS_FAILED;
    }
    if (drop_in_write(&job->tree, job->files.own_directory, UNIT_DROP_IN, job->text) != 0) {
        return STATUS_FAILED;
    }
    printf("Wrote %s%s\n", job->tree.root, path);
    return finish(job);
}
