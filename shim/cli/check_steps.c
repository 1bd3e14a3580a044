#include "shim/cli/check.h"

#include <stdio.h>

#define THP_DIRECTORY "/sys/kernel/mm/transparent_hugepage"

static void print_lines(const char *const *lines)
{
    const char *margin = "To do:  ";
    for (; *lines != NULL; lines++) {
        printf("%s%s\n", margin, *lines);
        margin = "        ";
    }
}

static void print_affected(const struct thp_policy *policy)
{
    /* The file of the size overrides the one above it unless it says inherit. */
    char host_wide[128] = "  echo madvise > " THP_DIRECTORY "/enabled";
    if (policy->pmd_enabled_status == READ_OK && policy->pmd_enabled == THP_MODE_ALWAYS) {
        (void)snprintf(host_wide, sizeof(host_wide),
                       "  echo madvise > " THP_DIRECTORY "/hugepages-%zukB/enabled",
                       policy->pmd_bytes / 1024);
    }
    const char *const lines[] = {
        "start the program with the library:  thpfix run -- java -jar app.jar",
        "or, for everything on this host, and at the cost of huge pages in heaps:",
        host_wide,
        "or use a kernel that exempts thread stacks: Linux 6.7.6, 6.8 and later.",
        NULL,
    };
    print_lines(lines);
}

void check_print_steps(const struct host_report *report)
{
    static const char *const nothing[] = {"nothing.", NULL};
    static const char *const recorded[] = {"run  thpfix check  on the machine itself.", NULL};
    static const char *const unknown_mode[] = {
        "look at  " THP_DIRECTORY "/enabled  as root, on the host itself.",
        "If it is always:  thpfix run --mode on -- COMMAND",
        NULL,
    };
    static const char *const unknown_exemption[] = {
        "start the program with  thpfix run --mode on -- COMMAND",
        "It does no harm where stacks are exempt already.",
        NULL,
    };
    if (report->verdict.kind == VERDICT_ACTIVE) {
        print_affected(&report->facts.policy);
    } else if (report->verdict.kind == VERDICT_INERT) {
        print_lines(nothing);
    } else if (report->recorded) {
        print_lines(recorded);
    } else if (report->verdict.reason == VERDICT_REASON_MODE_UNKNOWN) {
        print_lines(unknown_mode);
    } else {
        print_lines(unknown_exemption);
    }
}
