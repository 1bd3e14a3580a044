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

/* root: ROOT_HOST, or the directory of a recorded tree. What only a running kernel can
 * tell (the probe, the opt-out of this process, its C library) is unknown in a tree,
 * except that a kernel release can prove the exemption. */
void host_report_read(int root, struct host_report *ret_report);

/* Stacks are exempt from Linux 6.7.6 on; older releases may carry the change too, so
 * that their number proves nothing. Pure. */
enum stack_exemption host_report_exemption_of_release(const char *release);

/* "Affected", "Not affected", "Could not tell". Static storage, as all below. */
const char *host_report_headline(const struct host_report *report);

/* What the reason means for this host, in one line; NULL where it says it all. */
const char *host_report_meaning(const struct host_report *report);

/* What to do, one step a line, ended by NULL. */
const char *const *host_report_steps(const struct host_report *report);

#endif
