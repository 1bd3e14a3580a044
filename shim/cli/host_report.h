/* The machine as `check` and `run --explain` see it. */
#ifndef THPFIX_SHIM_CLI_HOST_REPORT_H
#define THPFIX_SHIM_CLI_HOST_REPORT_H

#include "detect/host.h"
#include "detect/verdict.h"

#include <stdbool.h>

struct host_report {
    bool recorded; /* read from a tree, not from the machine we run on */
    struct verdict_facts facts;
    struct host_details details;
    struct verdict verdict;
};

/* root: ROOT_HOST, or the directory of a recorded tree. In a tree, what belongs to the
 * process that asks (opt-out, C library, tunables) is unknown, and so is the exemption,
 * unless the kernel's release proves it, or /proc/self/smaps was recorded while a probe
 * of detect/host.h was in it. */
void host_report_read(int root, struct host_report *ret_report);

/* Stacks are exempt from Linux 6.7.6 on; older releases may carry the change too, so
 * that their number proves nothing. Pure. */
enum stack_exemption host_report_exemption_of_release(const char *release);

/* "Affected", "Not affected", "Could not tell". Static storage, as below. */
const char *host_report_headline(const struct host_report *report);

/* What the reason means for this host, in one line; NULL where it says it all. */
const char *host_report_meaning(const struct host_report *report);

#endif
