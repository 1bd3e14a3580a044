#include "detect/thp_parse.h"
#include "shim/cli/check.h"
#include "shim/cli/text_table.h"
#include "shim/cli/version.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *or_unknown(const char *word)
{
    return word[0] != '\0' ? word : "unknown";
}

static const char *status_note(enum read_status status)
{
    switch (status) {
    case READ_DENIED:
        return " (access denied)";
    case READ_ABSENT:
        return " (no such file)";
    case READ_FAILED:
        return " (cannot be read)";
    case READ_NOT_UNDERSTOOD:
        return " (text not understood)";
    case READ_NOT_MOUNTED:
        return " (no sysfs)";
    case READ_NOT_TRIED:
    case READ_OK:
        break;
    }
    return "";
}

/* One line of the table; a failure (no memory) is kept in *result. */
__attribute__((format(printf, 4, 5))) static void add(struct text_table *table, int *result,
                                                      const char *name, const char *format, ...)
{
    char value[256];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(value, sizeof(value), format, arguments);
    va_end(arguments);
    if (*result == 0) {
        *result = text_table_add(table, (const char *const[]){name, value});
    }
}

static void add_sizes(struct text_table *table, int *result, const struct host_details *details)
{
    for (size_t i = 0; i < details->size_count; i++) {
        const struct host_size_policy *size = &details->sizes[i];
        char name[48];
        (void)snprintf(name, sizeof(name), "  pages of %zu kB", size->bytes / 1024);
        add(table, result, name, "%s%s", thp_mode_name(size->enabled), status_note(size->status));
    }
}

static void add_number(struct text_table *table, int *result, const char *name, long long number)
{
    if (number < 0) {
        add(table, result, name, "unknown");
    } else {
        add(table, result, name, "%lld", number);
    }
}

static const char *tunable_note(const struct host_report *report)
{
    struct version glibc;
    switch (report->details.stack_hugetlb) {
    case -1:
        return report->recorded ? "unknown" : "not set";
    case 0:
        if (version_parse(report->details.glibc_version, &glibc) &&
            !version_at_least(&glibc, 2, 38, 0)) {
            return "0, but this glibc does not know it (2.38 and later do)";
        }
        return "0: glibc itself keeps huge pages away from the stacks it makes";
    default:
        return "1: the default";
    }
}

static void add_facts(struct text_table *table, int *result, const struct host_report *report)
{
    static const char *const exemption[] = {
        [STACK_EXEMPTION_UNKNOWN] = "unknown", [STACK_EXPOSED] = "no", [STACK_EXEMPT] = "yes"};
    static const char *const optout[] = {
        [THP_OPTOUT_UNKNOWN] = "unknown", [THP_OPTOUT_NO] = "no", [THP_OPTOUT_YES] = "yes"};
    const struct thp_policy *policy = &report->facts.policy;
    const struct host_details *details = &report->details;
    add(table, result, "THP mode", "%s%s", thp_mode_name(policy->enabled),
        status_note(policy->enabled_status));
    add_sizes(table, result, details);
    if (policy->pmd_bytes == 0) {
        add(table, result, "THP size", "unknown");
    } else {
        add(table, result, "THP size", "%zu kB%s", policy->pmd_bytes / 1024,
            policy->pmd_bytes_stated ? "" : " (derived from the page size)");
    }
    add(table, result, "mode in force for it", "%s", thp_mode_name(thp_policy_effective(policy)));
    add(table, result, "stacks exempt by kernel", "%s%s", exemption[report->facts.exemption],
        report->recorded && report->facts.exemption == STACK_EXEMPT ? " (by its release)" : "");
    add(table, result, "THP off by prctl", "%s", optout[report->facts.optout]);
    add(table, result, "defrag", "%s", or_unknown(details->defrag));
    add(table, result, "shmem_enabled", "%s", or_unknown(details->shmem_enabled));
    add_number(table, result, "khugepaged defrag", details->khugepaged.defrag);
    add_number(table, result, "  pages_to_scan", details->khugepaged.pages_to_scan);
    add_number(table, result, "  scan_sleep_millisecs", details->khugepaged.scan_sleep_ms);
    add_number(table, result, "  alloc_sleep_millisecs", details->khugepaged.alloc_sleep_ms);
    add_number(table, result, "  max_ptes_none", details->khugepaged.max_ptes_none);
    add(table, result, "kernel", "%s", or_unknown(details->kernel_release));
    add(table, result, "glibc", "%s", or_unknown(details->glibc_version));
    add(table, result, "glibc stack_hugetlb", "%s", tunable_note(report));
    add_number(table, result, "vm.max_map_count", details->max_map_count);
}

static int print_facts(const struct host_report *report)
{
    struct text_table *table = text_table_new(2);
    int result = table == NULL ? -ENOMEM : 0;
    if (result == 0) {
        add_facts(table, &result, report);
    }
    if (result == 0) {
        text_table_print(table);
    }
    text_table_free(table);
    return result;
}

int check_print_text(const struct host_report *report)
{
    const char *meaning = host_report_meaning(report);
    printf("%s.\n\nWhy:    %s%s\n", host_report_headline(report),
           verdict_reason_sentence(report->verdict.reason), meaning != NULL ? ";" : ".");
    if (meaning != NULL) {
        printf("        %s\n", meaning);
    }
    check_print_steps(report);
    printf("\n");
    return print_facts(report);
}
