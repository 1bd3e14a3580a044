#include "shim/cli/message.h"
#include "shim/cli/preload_list.h"
#include "shim/cli/systemd.h"
#include "shim/cli/drop_in.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool systemd_is_live(const struct systemd_request *request)
{
    return request->root == NULL && request->scope != UNIT_GLOBAL;
}

bool systemd_has_filter(const struct systemd_job *job)
{
    return job->own_text != NULL && systemd_preload_is_ours(job->own_text) &&
           strstr(job->own_text, "\nSystemCallFilter=") != NULL;
}

static int ask_systemd(struct systemd_job *job)
{
    const char *unit = job->name.text;
    if (!job->live || job->name.is_template) {
        return 0;
    }
    int result = systemctl_show(job->request->scope, unit, &job->state);
    if (result != 0) {
        return result;
    }
    if (strcmp(job->state.load_state, "bad-setting") == 0 ||
        strcmp(job->state.load_state, "error") == 0) {
        message("systemd", "systemd cannot load '%s': 'systemctl status %s' says why", unit, unit);
        return -EINVAL;
    }
    return 0; /* what is not found or masked shows in its files */
}

static int find_files(struct systemd_job *job)
{
    const char *user = job->request->scope == UNIT_SYSTEM ? "" : " --user";
    int result = unit_paths_make(job->request->scope, &job->paths);
    if (result != 0) {
        message("systemd", "cannot tell where the units of this user are: set HOME");
        return result;
    }
    result = unit_files_find(&job->tree, &job->paths, &job->name, &job->files);
    /* Masked at run time only, by a link that was there when systemd looked. */
    if (result == -ERFKILL ||
        (result == 0 && job->live && strcmp(job->state.load_state, "masked") == 0)) {
        message("systemd", "'%s' is masked, it cannot be started: 'systemctl%s unmask %s' first",
                job->name.text, user, job->name.text);
        return -ERFKILL;
    }
    if (result == -ENOENT && job->tree.root[0] != '\0') {
        message("systemd", "there is no unit '%s' below '%s'", job->name.text, job->tree.root);
    } else if (result == -ENOENT) {
        message("systemd", "there is no unit '%s': 'systemctl%s list-unit-files' lists them",
                job->name.text, user);
    } else if (result != 0) {
        message("systemd", "cannot look for the files of '%s': %s", job->name.text,
                strerror(-result));
    }
    return result;
}

static int read_settings(struct systemd_job *job)
{
    const char *path = NULL;
    char *manager = NULL;
    int result = unit_settings_read(&job->tree, &job->files, &job->settings, &path);
    if (result != 0) {
        message("systemd", "cannot read '%s%s': %s", job->tree.root, path, strerror(-result));
        return result;
    }
    if (job->live && (result = systemctl_preload(job->request->scope, &manager)) != 0) {
        return result;
    }
    result = systemd_preload_find(&job->settings, manager != NULL ? manager : "", &job->preload);
    free(manager);
    if (result != 0) {
        struct systemd_target target = {.tree = &job->tree, .settings = &job->settings};
        message("systemd", "%s: not to be understood (a quote without an end?): correct it first",
                systemd_place(&target, job->preload.set_by));
    }
    return result;
}

static int make_text(struct systemd_job *job)
{
    char library[2 * PATH_MAX], *list = NULL;
    const char *calls = job->allow_calls ? job->findings.calls : "";
    int result = systemd_library_escape(job->library.preload, library, sizeof(library));
    if (result == 0) {
        result = preload_list_merge(job->preload.before, library, NULL, 0, &list);
    }
    if (result == 0) {
        result = systemd_preload_text(job->name.text, list, calls, &job->text);
    }
    free(list);
    if (result == -EINVAL) {
        message("systemd", "'%s' has control characters or is too long for LD_PRELOAD",
                job->library.preload);
    } else if (result != 0) {
        message("systemd", "cannot make the drop-in: %s", strerror(-result));
    }
    return result;
}

/* A drop-in of our name elsewhere would be hidden by ours, or hide it. */
static int look_at_namesake(struct systemd_job *job)
{
    char *text = NULL;
    if (job->files.namesake[0] == '\0') {
        return 0;
    }
    int result = drop_in_read(&job->tree, job->files.namesake, &text);
    if (result == 0 && text != NULL) {
        job->by_other = systemd_preload_is_ours(text);
        if (!job->by_other) {
            message("systemd",
                    "'%s%s' has the same name as our drop-in and was not made by thpfix: "
                    "rename it first",
                    job->tree.root, job->files.namesake);
            result = -EEXIST;
        }
    }
    free(text);
    return result;
}

int systemd_job_open(const struct systemd_request *request, struct systemd_job *ret_job)
{
    struct systemd_job *job = ret_job;
    const char *why;
    *job = (struct systemd_job){.request = request, .live = systemd_is_live(request)};
    int result = unit_name_parse(request->unit, &job->name, &why);
    if (result != 0) {
        message("systemd", "'%s' is no name of a service: %s", request->unit, why);
        return result;
    }
    result = file_tree_open_root(request->root, &job->tree);
    if (result != 0) {
        message("systemd", "--root: cannot open directory '%s': %s",
                request->root != NULL ? request->root : "/", strerror(-result));
        return result;
    }
    if ((result = ask_systemd(job)) != 0 || (result = find_files(job)) != 0 ||
        (result = read_settings(job)) != 0 || (result = look_at_namesake(job)) != 0 ||
        (result = drop_in_read(&job->tree, job->files.own, &job->own_text)) != 0 ||
        (result = systemd_library_find(&job->tree, request->library, &job->library)) != 0) {
        return result;
    }
    job->allow_calls = request->allow_calls || systemd_has_filter(job);
    struct systemd_target target = {
        .tree = &job->tree,
        .scope = request->scope,
        .unit = job->name.text,
        .settings = &job->settings,
        .preload = &job->preload,
        .library = job->library.preload,
        .library_file = job->library.file,
        .allow_calls = job->allow_calls,
    };
    systemd_check(&target, &job->findings);
    return make_text(job);
}
