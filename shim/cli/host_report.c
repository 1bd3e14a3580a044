#include "shim/cli/host_report.h"
#include "detect/root_read.h"
#include "shim/cli/version.h"

#include <unistd.h>

enum stack_exemption host_report_exemption_of_release(const char *release)
{
    struct version version;
    return version_parse(release, &version) && version_at_least(&version, 6, 7, 6)
               ? STACK_EXEMPT
               : STACK_EXEMPTION_UNKNOWN;
}

void host_report_read(int root, struct host_report *ret_report)
{
    struct host_report report = {.recorded = root != ROOT_HOST};
    size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    host_read_thp_policy(root, page_bytes, &report.facts.policy);
    host_read_details(root, &report.details);
    if (report.recorded) {
        report.facts.exemption = host_report_exemption_of_release(report.details.kernel_release);
        if (report.facts.exemption == STACK_EXEMPTION_UNKNOWN) {
            report.facts.exemption = host_probe_stack_exemption(root, page_bytes);
        }
        report.details.glibc_version[0] = '\0';
        report.details.stack_hugetlb = -1;
    } else {
        report.facts.exemption = host_probe_stack_exemption(root, page_bytes);
        report.facts.optout = host_thp_optout();
    }
    report.verdict = verdict_decide(&report.facts);
    *ret_report = report;
}

const char *host_report_headline(const struct host_report *report)
{
    switch (report->verdict.kind) {
    case VERDICT_ACTIVE:
        return "Affected";
    case VERDICT_INERT:
        return "Not affected";
    case VERDICT_UNKNOWN:
        break;
    }
    return "Could not tell";
}

static const char *mode_unknown_meaning(enum read_status status)
{
    switch (status) {
    case READ_DENIED:
        return "access to /sys/kernel/mm/transparent_hugepage is denied to this user, or here.";
    case READ_ABSENT:
        return "the kernel's files below /sys/kernel/mm/transparent_hugepage contradict each "
               "other.";
    case READ_NOT_MOUNTED:
        return "no sysfs is mounted on /sys here, as in a bare chroot or a sandbox.";
    case READ_NOT_UNDERSTOOD:
        return "/sys/kernel/mm/transparent_hugepage says something this version does not know.";
    case READ_OK:
    case READ_NOT_TRIED:
    case READ_FAILED:
        break;
    }
    return "/sys/kernel/mm/transparent_hugepage could not be read.";
}

const char *host_report_meaning(const struct host_report *report)
{
    const struct thp_policy *policy = &report->facts.policy;
    switch (report->verdict.reason) {
    case VERDICT_REASON_AFFECTED:
        return "a thread that uses a few kB of its stack can take a whole huge page.";
    case VERDICT_REASON_STACKS_EXEMPT:
        return thp_policy_effective(policy) == THP_MODE_ALWAYS
                   ? "THP is always, but the kernel keeps huge pages away from the stacks that "
                     "glibc makes."
                   : "the THP mode is unknown, but does not matter then.";
    case VERDICT_REASON_PROCESS_OPTED_OUT:
        return "this shell has that setting from its parent; programs started elsewhere may be "
               "affected.";
    case VERDICT_REASON_EXEMPTION_UNKNOWN:
        return report->recorded ? "a recorded tree cannot be probed, and older kernels may carry "
                                  "the exemption or not."
                                : "/proc/self/smaps could not be read, or lacks VmFlags.";
    case VERDICT_REASON_MODE_UNKNOWN:
        return mode_unknown_meaning(policy->enabled_status != READ_OK ? policy->enabled_status
                                                                      : policy->pmd_enabled_status);
    default:
        return NULL;
    }
}
