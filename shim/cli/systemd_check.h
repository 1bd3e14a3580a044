/* What would keep a library in LD_PRELOAD out of a service, or harm the service. */
#ifndef THPFIX_SHIM_CLI_SYSTEMD_CHECK_H
#define THPFIX_SHIM_CLI_SYSTEMD_CHECK_H

#include "shim/cli/systemd_preload.h"

struct systemd_target {
    const struct file_tree *tree;
    enum unit_scope scope;
    const char *unit;
    const struct unit_settings *settings;
    const struct systemd_preload *preload;
    const char *library;      /* as it stands in LD_PRELOAD; may hold $LIB */
    const char *library_file; /* its path in the tree; "" not known */
    bool allow_calls;         /* the drop-in lets the missing system calls pass */
};

struct systemd_findings {
    unsigned defeats;  /* the library would have no effect, or do harm */
    unsigned warnings; /* it may */
    char calls[64];    /* system calls that a filter lacks, for SystemCallFilter= */
};

/* Says each on stderr, with the remedy. */
void systemd_check(const struct systemd_target *target, struct systemd_findings *ret_findings);

/* Its parts. */
void systemd_check_files(const struct systemd_target *target, struct systemd_findings *findings);
void systemd_check_program(const struct systemd_target *target, struct systemd_findings *findings);
void systemd_check_calls(const struct systemd_target *target, struct systemd_findings *findings);

__attribute__((format(printf, 3, 4))) void systemd_defeat(const struct systemd_target *target,
                                                          struct systemd_findings *findings,
                                                          const char *format, ...);
__attribute__((format(printf, 3, 4))) void systemd_warning(const struct systemd_target *target,
                                                           struct systemd_findings *findings,
                                                           const char *format, ...);

/* "KEY= in FILE:LINE". Static: the next call overwrites it. */
const char *systemd_place(const struct systemd_target *target, const struct unit_setting *setting);

/* Is the service run by another user than root? */
bool systemd_unprivileged(const struct systemd_target *target);

#endif
