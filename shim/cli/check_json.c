#include "detect/thp_parse.h"
#include "shim/cli/check.h"
#include "shim/cli/json_write.h"

#include <stdio.h>

static void add_word(struct json_writer *json, const char *name, const char *word)
{
    json_string(json, name, word[0] != '\0' ? word : NULL);
}

static void add_mode(struct json_writer *json, const char *name, enum thp_mode mode)
{
    json_string(json, name, mode != THP_MODE_UNKNOWN ? thp_mode_name(mode) : NULL);
}

static void add_number(struct json_writer *json, const char *name, long long number)
{
    if (number < 0) {
        json_null(json, name);
    } else {
        json_number(json, name, number);
    }
}

static void add_answer(struct json_writer *json, const char *name, bool known, bool yes)
{
    if (known) {
        json_bool(json, name, yes);
    } else {
        json_null(json, name);
    }
}

static void add_thp(struct json_writer *json, const struct thp_policy *policy,
                    const struct host_details *details)
{
    json_open(json, "thp", '{');
    add_mode(json, "enabled", policy->enabled);
    add_mode(json, "effective", thp_policy_effective(policy));
    add_number(json, "pmd_bytes", policy->pmd_bytes != 0 ? (long long)policy->pmd_bytes : -1);
    json_bool(json, "pmd_bytes_stated", policy->pmd_bytes_stated);
    add_word(json, "defrag", details->defrag);
    add_word(json, "shmem_enabled", details->shmem_enabled);
    json_open(json, "sizes", '[');
    for (size_t i = 0; i < details->size_count; i++) {
        json_open(json, NULL, '{');
        json_number(json, "bytes", (long long)details->sizes[i].bytes);
        add_mode(json, "enabled", details->sizes[i].enabled);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_open(json, "khugepaged", '{');
    add_number(json, "defrag", details->khugepaged.defrag);
    add_number(json, "pages_to_scan", details->khugepaged.pages_to_scan);
    add_number(json, "scan_sleep_ms", details->khugepaged.scan_sleep_ms);
    add_number(json, "alloc_sleep_ms", details->khugepaged.alloc_sleep_ms);
    add_number(json, "max_ptes_none", details->khugepaged.max_ptes_none);
    json_close(json, '}');
    json_close(json, '}');
}

void check_print_json(const struct host_report *report)
{
    const struct verdict_facts *facts = &report->facts;
    struct json_writer json = {.stream = stdout};
    json_open(&json, NULL, '{');
    add_answer(&json, "affected", report->verdict.kind != VERDICT_UNKNOWN,
               report->verdict.kind == VERDICT_ACTIVE);
    json_string(&json, "verdict", verdict_kind_name(report->verdict.kind));
    json_string(&json, "reason", verdict_reason_word(report->verdict.reason));
    json_string(&json, "why", verdict_reason_sentence(report->verdict.reason));
    json_bool(&json, "recorded", report->recorded);
    add_answer(&json, "stacks_exempt", facts->exemption != STACK_EXEMPTION_UNKNOWN,
               facts->exemption == STACK_EXEMPT);
    add_answer(&json, "opted_out", facts->optout != THP_OPTOUT_UNKNOWN,
               facts->optout == THP_OPTOUT_YES);
    add_thp(&json, &facts->policy, &report->details);
    add_word(&json, "kernel", report->details.kernel_release);
    add_word(&json, "glibc", report->details.glibc_version);
    add_number(&json, "glibc_stack_hugetlb", report->details.stack_hugetlb);
    add_number(&json, "max_map_count", report->details.max_map_count);
    json_close(&json, '}');
}
