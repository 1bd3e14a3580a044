#include "shim/cli/commands.h"
#include "shim/cli/counters_read.h"
#include "shim/cli/output.h"
#include "shim/cli/remote_library.h"
#include "shim/cli/shell_quote.h"
#include "shim/cli/systemd.h"

#include <stdio.h>
#include <string.h>

#define STATUS_NOT_IN_PLACE 1

static void print_remedy(const struct systemd_job *job)
{
    static const char *const options[] = {
        [UNIT_SYSTEM] = "", [UNIT_USER] = " --user", [UNIT_GLOBAL] = " --global"};
    const struct systemd_request *request = job->request;
    printf("Drop-in:  none (thpfix systemd ");
    shell_quote(stdout, job->name.text);
    printf("%s", options[request->scope]);
    if (request->root != NULL) {
        printf(" --root ");
        shell_quote(stdout, request->root);
    }
    printf(" --install)\n");
}

static bool print_drop_in(const struct systemd_job *job)
{
    const char *root = job->tree.root, *path = job->files.own;
    const struct systemd_preload *preload = &job->preload;
    struct systemd_target target = {.tree = &job->tree, .settings = &job->settings};
    if (job->own_text != NULL && !systemd_preload_is_ours(job->own_text)) {
        printf("Drop-in:  %s%s (not made by thpfix)\n", root, path);
        return false;
    }
    if (systemd_has_filter(job) && job->findings.calls[0] == '\0') {
        /* As the only one it allows nothing else. */
        printf("Drop-in:  %s%s (the filter it adds to is gone: --install it anew)\n", root, path);
        return false;
    }
    if (job->own_text != NULL) {
        bool current = strcmp(job->own_text, job->text) == 0;
        printf("Drop-in:  %s%s%s\n", root, path,
               current ? "" : " (not as --install would write it now)");
        return true;
    }
    if (job->by_other) {
        printf("Drop-in:  %s%s\n", root, job->files.namesake);
        return true;
    }
    if (preload->times > 0 || preload->overruled_with_us) {
        const struct unit_setting *by =
            preload->times > 0 ? preload->set_by : preload->overruled_by;
        printf("Drop-in:  none; the library is set by %s\n",
               by != NULL ? systemd_place(&target, by) : "systemd's own environment");
        return true;
    }
    print_remedy(job);
    return false;
}

/* Does the service's main process go with what is set for it? What cannot be told does. */
static bool print_process(const struct systemd_job *job, bool wanted)
{
    static remote_library_test *const tests[] = {counters_is_library};
    struct remote_library library = {0};
    int pid = job->state.main_pid;
    if (!job->live || job->name.is_template) {
        return true;
    }
    if (pid <= 0) {
        printf("Process:  %s\n", job->state.active ? "none that systemd calls the main one"
                                                   : "none, the service is not running");
        return true;
    }
    if (remote_library_find(pid, tests, 1, &library) != 0) {
        printf("Process:  %d (look as root whether the library is in it)\n", pid);
        return true;
    }
    bool there = library.start != 0;
    printf("Process:  %d, %s the library%s\n", pid, there ? "with" : "without",
           there    ? ""
           : wanted ? " (not restarted since, or ld.so ignored it)"
                    : "");
    if (there != wanted) {
        systemd_print_restart(job->request->scope, &job->name);
    }
    return there == wanted;
}

int systemd_status(const struct systemd_job *job)
{
    printf("Unit:     %s\n", job->name.text);
    bool in_place = print_drop_in(job);
    in_place = print_process(job, in_place) && in_place && job->findings.defeats == 0;
    if (output_finish("systemd") != 0) {
        return STATUS_FAILED;
    }
    return in_place ? 0 : STATUS_NOT_IN_PLACE;
}
