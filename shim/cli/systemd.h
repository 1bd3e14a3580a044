/* thpfix systemd: a drop-in that preloads the library into a service. */
#ifndef THPFIX_SHIM_CLI_SYSTEMD_H
#define THPFIX_SHIM_CLI_SYSTEMD_H

#include "shim/cli/systemctl.h"
#include "shim/cli/systemd_check.h"
#include "shim/cli/systemd_library.h"

struct systemd_request {
    const char *unit; /* as given */
    enum unit_scope scope;
    const char *root;    /* NULL: this machine, and the systemd that runs on it */
    const char *library; /* NULL: our own */
    bool allow_calls, force;
};

/* All about one unit. The pointers into each other make it one piece: not to be copied. */
struct systemd_job {
    const struct systemd_request *request;
    struct file_tree tree;
    struct unit_name name;
    struct unit_paths paths;
    struct unit_files files;
    struct unit_settings settings;
    struct systemd_preload preload;
    struct systemd_library library;
    struct systemd_findings findings;
    bool live;                   /* a running systemd was asked: */
    struct systemctl_unit state; /* of templates nothing */
    char *own_text;              /* of our drop-in as it is; NULL: there is none */
    char *text;                  /* as it should be */
    bool allow_calls;            /* asked for now, or when our drop-in was written */
    bool by_other;               /* our drop-in for the template or for all users does it */
};

/* Finds out everything and says what would defeat the library. 0 or -errno, the complaint made.
 * Nothing is released: what follows is an exit. */
int systemd_job_open(const struct systemd_request *request, struct systemd_job *ret_job);

/* Does our drop-in as it is let system calls pass a filter? */
bool systemd_has_filter(const struct systemd_job *job);

/* Is there a systemd to be asked and told? */
bool systemd_is_live(const struct systemd_request *request);

/* Exit statuses. */
int systemd_install(struct systemd_job *job);
int systemd_status(const struct systemd_job *job);
int systemd_remove(const struct systemd_request *request);
int systemd_remove_all(const struct systemd_request *request);

/* Prints "To take effect: systemctl restart UNIT" for what runs of a unit or a template. */
void systemd_print_restart(enum unit_scope scope, const struct unit_name *name);

#endif
