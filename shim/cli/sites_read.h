/* What libthpfix-sites.so recorded in another process, joined with the stacks that its
 * threads have now. */
#ifndef THPFIX_SHIM_CLI_SITES_READ_H
#define THPFIX_SHIM_CLI_SITES_READ_H

#include "detect/process.h"
#include "detect/sites_abi.h"
#include "shim/cli/remote_library.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct site_row {
    struct sites_site site;
    size_t alive;       /* threads created there that are there now */
    size_t not_told;    /* of those, some number of their stacks is unknown, and not in: */
    uint64_t rss_bytes; /* of their stacks */
    uint64_t huge_bytes;
};

struct sites_report {
    struct process_identity identity;
    struct remote_library library; /* libthpfix-sites.so; start 0: not loaded */
    bool has_shim;                 /* libthpfix.so is loaded */
    struct sites head;             /* what the other side does not have is zero */
    bool of_parent;                /* recorded in the process that this one was forked from */
    struct site_row *rows;         /* the most huge memory first, then resident, then created */
    size_t count;
    struct site_row others; /* threads whose site is not known; its .site is empty */
};

/* 0 (also where library.start is 0); -ENOENT, -ENOEXEC, -EPROTO what is there are no sites;
 * -EPROTONOSUPPORT they are of another version (head.version); -errno of a read. identity
 * and library are filled in as far as they are known. To be freed, whatever the result. */
int sites_read(pid_t pid, struct sites_report *ret_report);
void sites_free(struct sites_report *report);

/* Does what lies there make sense as a head? 0, -EPROTO or -EPROTONOSUPPORT. Pure. */
int sites_check_head(const struct sites *head);

#endif
