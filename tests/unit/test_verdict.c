#include "detect/verdict.h"
#include <criterion/criterion.h>
#include <string.h>

#define MODES     (THP_MODE_INHERIT + 1)
#define STATUSES  (READ_NOT_MOUNTED + 1)
#define OPTOUTS   (THP_OPTOUT_YES + 1)
#define EXEMPTION (STACK_EXEMPT + 1)

/* A host with THP always, without files per size, whose stacks are exposed. */
static struct verdict_facts affected_host(void)
{
    return (struct verdict_facts){
        .policy = {.enabled = THP_MODE_ALWAYS,
                   .enabled_status = READ_OK,
                   .pmd_enabled_status = READ_ABSENT,
                   .pmd_bytes = 2097152,
                   .pmd_bytes_stated = true},
        .optout = THP_OPTOUT_NO,
        .exemption = STACK_EXPOSED,
    };
}

static void assert_verdict(const struct verdict_facts *facts, enum verdict_kind kind,
                           enum verdict_reason reason)
{
    struct verdict verdict = verdict_decide(facts);
    cr_assert_eq(verdict.kind, kind, "%s, not %s", verdict_kind_name(verdict.kind),
                 verdict_kind_name(kind));
    cr_assert_eq(verdict.reason, reason, "%s, not %s", verdict_reason_word(verdict.reason),
                 verdict_reason_word(reason));
}

Test(verdict, always_and_exposed_is_affected)
{
    struct verdict_facts facts = affected_host();
    assert_verdict(&facts, VERDICT_ACTIVE, VERDICT_REASON_AFFECTED);
    facts.optout = THP_OPTOUT_UNKNOWN; /* kernels that lack the call have no opt-out */
    assert_verdict(&facts, VERDICT_ACTIVE, VERDICT_REASON_AFFECTED);
}

Test(verdict, nothing_looked_at_is_unknown)
{
    struct verdict_facts facts;
    memset(&facts, 0, sizeof(facts));
    assert_verdict(&facts, VERDICT_UNKNOWN, VERDICT_REASON_MODE_UNKNOWN);
}

Test(verdict, each_reason_by_itself)
{
    struct verdict_facts facts = affected_host();
    facts.policy.enabled = THP_MODE_MADVISE;
    assert_verdict(&facts, VERDICT_INERT, VERDICT_REASON_MODE_MADVISE);
    facts.policy.enabled = THP_MODE_NEVER;
    assert_verdict(&facts, VERDICT_INERT, VERDICT_REASON_MODE_NEVER);

    facts = affected_host();
    facts.optout = THP_OPTOUT_YES;
    assert_verdict(&facts, VERDICT_INERT, VERDICT_REASON_PROCESS_OPTED_OUT);

    facts = affected_host();
    facts.exemption = STACK_EXEMPT;
    assert_verdict(&facts, VERDICT_INERT, VERDICT_REASON_STACKS_EXEMPT);
    facts.exemption = STACK_EXEMPTION_UNKNOWN;
    assert_verdict(&facts, VERDICT_UNKNOWN, VERDICT_REASON_EXEMPTION_UNKNOWN);
}

Test(verdict, no_thp_needs_both_files_absent)
{
    struct verdict_facts facts = affected_host();
    facts.policy.enabled = THP_MODE_UNKNOWN;
    facts.policy.enabled_status = READ_ABSENT;
    assert_verdict(&facts, VERDICT_INERT, VERDICT_REASON_NO_THP);

    facts.policy.pmd_enabled = THP_MODE_ALWAYS;
    facts.policy.pmd_enabled_status = READ_OK;
    assert_verdict(&facts, VERDICT_ACTIVE, VERDICT_REASON_AFFECTED);
}

Test(verdict, no_sysfs_is_not_no_thp)
{
    struct verdict_facts facts = affected_host();
    facts.policy.enabled = THP_MODE_UNKNOWN;
    facts.policy.enabled_status = READ_NOT_MOUNTED;
    facts.policy.pmd_enabled_status = READ_NOT_MOUNTED;
    assert_verdict(&facts, VERDICT_UNKNOWN, VERDICT_REASON_MODE_UNKNOWN);
}

Test(verdict, the_first_reason_is_the_one_given)
{
    struct verdict_facts facts = affected_host();
    facts.policy.enabled = THP_MODE_NEVER;
    facts.optout = THP_OPTOUT_YES;
    facts.exemption = STACK_EXEMPT;
    assert_verdict(&facts, VERDICT_INERT, VERDICT_REASON_MODE_NEVER);
    facts.policy.enabled = THP_MODE_ALWAYS;
    assert_verdict(&facts, VERDICT_INERT, VERDICT_REASON_PROCESS_OPTED_OUT);
}

/* Opted out or exempt: that settles it in every mode, also one that nobody can read. */
Test(verdict, an_unknown_mode_does_not_hide_what_decides)
{
    struct verdict_facts facts = affected_host();
    facts.policy.enabled = THP_MODE_UNKNOWN;
    facts.policy.enabled_status = READ_DENIED;
    assert_verdict(&facts, VERDICT_UNKNOWN, VERDICT_REASON_MODE_UNKNOWN);
    facts.exemption = STACK_EXEMPT;
    assert_verdict(&facts, VERDICT_INERT, VERDICT_REASON_STACKS_EXEMPT);
    facts.optout = THP_OPTOUT_YES;
    assert_verdict(&facts, VERDICT_INERT, VERDICT_REASON_PROCESS_OPTED_OUT);
}

Test(verdict, the_file_of_the_size_overrides_the_top_level)
{
    static const struct {
        enum thp_mode top, pmd;
        enum read_status pmd_status;
        enum thp_mode effective;
    } cases[] = {
        {THP_MODE_ALWAYS, THP_MODE_UNKNOWN, READ_ABSENT, THP_MODE_ALWAYS},
        {THP_MODE_ALWAYS, THP_MODE_INHERIT, READ_OK, THP_MODE_ALWAYS},
        {THP_MODE_ALWAYS, THP_MODE_NEVER, READ_OK, THP_MODE_NEVER},
        {THP_MODE_ALWAYS, THP_MODE_MADVISE, READ_OK, THP_MODE_MADVISE},
        {THP_MODE_MADVISE, THP_MODE_ALWAYS, READ_OK, THP_MODE_ALWAYS},
        {THP_MODE_MADVISE, THP_MODE_INHERIT, READ_OK, THP_MODE_MADVISE},
        {THP_MODE_NEVER, THP_MODE_ALWAYS, READ_OK, THP_MODE_ALWAYS},
        {THP_MODE_UNKNOWN, THP_MODE_NEVER, READ_OK, THP_MODE_NEVER},
        {THP_MODE_UNKNOWN, THP_MODE_INHERIT, READ_OK, THP_MODE_UNKNOWN},
        {THP_MODE_INHERIT, THP_MODE_INHERIT, READ_OK, THP_MODE_UNKNOWN},
        {THP_MODE_INHERIT, THP_MODE_UNKNOWN, READ_ABSENT, THP_MODE_UNKNOWN},
        {THP_MODE_ALWAYS, THP_MODE_UNKNOWN, READ_NOT_TRIED, THP_MODE_UNKNOWN},
        {THP_MODE_ALWAYS, THP_MODE_UNKNOWN, READ_DENIED, THP_MODE_UNKNOWN},
        {THP_MODE_ALWAYS, THP_MODE_UNKNOWN, READ_FAILED, THP_MODE_UNKNOWN},
        {THP_MODE_NEVER, THP_MODE_UNKNOWN, READ_NOT_UNDERSTOOD, THP_MODE_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct thp_policy policy = {.enabled = cases[i].top,
                                    .enabled_status = READ_OK,
                                    .pmd_enabled = cases[i].pmd,
                                    .pmd_enabled_status = cases[i].pmd_status};
        cr_assert_eq(thp_policy_effective(&policy), cases[i].effective, "case %zu", i);
    }
}

static void check_invariants(const struct verdict_facts *facts)
{
    struct verdict verdict = verdict_decide(facts);
    enum thp_mode mode = thp_policy_effective(&facts->policy);
    cr_assert(mode >= THP_MODE_UNKNOWN && mode < THP_MODE_INHERIT);

    bool no_thp = facts->policy.enabled_status == READ_ABSENT &&
                  facts->policy.pmd_enabled_status == READ_ABSENT;
    bool affected = !no_thp && mode == THP_MODE_ALWAYS && facts->optout != THP_OPTOUT_YES &&
                    facts->exemption == STACK_EXPOSED;
    cr_assert_eq(verdict.kind == VERDICT_ACTIVE, affected);
    cr_assert_eq(verdict.kind == VERDICT_ACTIVE, verdict.reason == VERDICT_REASON_AFFECTED);
    cr_assert_eq(verdict.kind == VERDICT_UNKNOWN,
                 verdict.reason == VERDICT_REASON_MODE_UNKNOWN ||
                     verdict.reason == VERDICT_REASON_EXEMPTION_UNKNOWN);
    if (verdict.reason == VERDICT_REASON_MODE_MADVISE) {
        cr_assert_eq(mode, THP_MODE_MADVISE);
    }
    if (verdict.reason == VERDICT_REASON_MODE_UNKNOWN) {
        cr_assert_eq(mode, THP_MODE_UNKNOWN);
    }
}

/* Nobody is called affected without all of it known, and unknown is never an answer:
 * over every combination, also those that no kernel gives. */
Test(verdict, invariants_over_all_facts)
{
    struct verdict_facts facts;
    memset(&facts, 0, sizeof(facts));
    for (int i = 0; i < MODES * STATUSES * MODES * STATUSES; i++) {
        facts.policy.enabled = (enum thp_mode)(i % MODES);
        facts.policy.enabled_status = (enum read_status)(i / MODES % STATUSES);
        facts.policy.pmd_enabled = (enum thp_mode)(i / MODES / STATUSES % MODES);
        facts.policy.pmd_enabled_status = (enum read_status)(i / MODES / STATUSES / MODES);
        for (int j = 0; j < OPTOUTS * EXEMPTION; j++) {
            facts.optout = (enum thp_optout)(j % OPTOUTS);
            facts.exemption = (enum stack_exemption)(j / OPTOUTS);
            check_invariants(&facts);
        }
    }
}

/* An interface: these words stand in other people's scripts, these numbers in counters
 * that a command of another age reads. Append; never change. */
Test(verdict, words_and_numbers_stay_as_they_are)
{
    static const char *const words[] = {
        "not-evaluated",     "affected",     "no-thp",
        "mode-madvise",      "mode-never",   "stacks-exempt",
        "process-opted-out", "mode-unknown", "exemption-unknown",
        "forced-on",         "forced-off",   "program-not-selected",
        "libc-unsupported",
    };
    size_t count = sizeof(words) / sizeof(words[0]);
    for (size_t i = 0; i < count; i++) {
        cr_assert_str_eq(verdict_reason_word((enum verdict_reason)i), words[i]);
        cr_assert(strlen(verdict_reason_sentence((enum verdict_reason)i)) > 0);
    }
    cr_assert_str_eq(verdict_reason_word((enum verdict_reason)count), "unknown-reason");
    cr_assert_str_eq(verdict_reason_sentence((enum verdict_reason) - 1),
                     "a reason that this version does not know");

    cr_assert_str_eq(verdict_kind_name((enum verdict_kind)0), "unknown");
    cr_assert_str_eq(verdict_kind_name((enum verdict_kind)1), "active");
    cr_assert_str_eq(verdict_kind_name((enum verdict_kind)2), "inert");
    cr_assert_str_eq(verdict_kind_name((enum verdict_kind)3), "unknown");
}
