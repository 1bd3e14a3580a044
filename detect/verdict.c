#include "detect/verdict.h"

enum thp_mode thp_policy_effective(const struct thp_policy *policy)
{
    enum thp_mode mode = policy->enabled;
    if (policy->pmd_enabled_status == READ_OK && policy->pmd_enabled != THP_MODE_INHERIT) {
        mode = policy->pmd_enabled;
    } else if (policy->pmd_enabled_status != READ_OK && policy->pmd_enabled_status != READ_ABSENT) {
        mode = THP_MODE_UNKNOWN;
    }
    /* The top level has nothing to inherit from. */
    return mode == THP_MODE_INHERIT ? THP_MODE_UNKNOWN : mode;
}

struct verdict verdict_decide(const struct verdict_facts *facts)
{
    const struct thp_policy *policy = &facts->policy;
    if (policy->enabled_status == READ_ABSENT && policy->pmd_enabled_status == READ_ABSENT) {
        return (struct verdict){VERDICT_INERT, VERDICT_REASON_NO_THP};
    }
    enum thp_mode mode = thp_policy_effective(policy);
    if (mode == THP_MODE_MADVISE) {
        return (struct verdict){VERDICT_INERT, VERDICT_REASON_MODE_MADVISE};
    }
    if (mode == THP_MODE_NEVER) {
        return (struct verdict){VERDICT_INERT, VERDICT_REASON_MODE_NEVER};
    }
    /* These two hold whatever the mode: they decide also where it is unknown. */
    if (facts->optout == THP_OPTOUT_YES) {
        return (struct verdict){VERDICT_INERT, VERDICT_REASON_PROCESS_OPTED_OUT};
    }
    if (facts->exemption == STACK_EXEMPT) {
        return (struct verdict){VERDICT_INERT, VERDICT_REASON_STACKS_EXEMPT};
    }
    if (mode != THP_MODE_ALWAYS) {
        return (struct verdict){VERDICT_UNKNOWN, VERDICT_REASON_MODE_UNKNOWN};
    }
    if (facts->exemption != STACK_EXPOSED) {
        return (struct verdict){VERDICT_UNKNOWN, VERDICT_REASON_EXEMPTION_UNKNOWN};
    }
    return (struct verdict){VERDICT_ACTIVE, VERDICT_REASON_AFFECTED};
}

const char *verdict_kind_name(enum verdict_kind kind)
{
    switch (kind) {
    case VERDICT_ACTIVE:
        return "active";
    case VERDICT_INERT:
        return "inert";
    case VERDICT_UNKNOWN:
        break;
    }
    return "unknown";
}

/* Reasons also come out of a process that runs a newer library: any number may. */
const char *verdict_reason_word(enum verdict_reason reason)
{
    switch (reason) {
#define VERDICT_REASON_WORD(name, word, sentence)                                                  \
    case VERDICT_REASON_##name:                                                                    \
        return word;
        VERDICT_REASONS(VERDICT_REASON_WORD)
#undef VERDICT_REASON_WORD
    }
    return "unknown-reason";
}

const char *verdict_reason_sentence(enum verdict_reason reason)
{
    switch (reason) {
#define VERDICT_REASON_SENTENCE(name, word, sentence)                                              \
    case VERDICT_REASON_##name:                                                                    \
        return sentence;
        VERDICT_REASONS(VERDICT_REASON_SENTENCE)
#undef VERDICT_REASON_SENTENCE
    }
    return "a reason that this version does not know";
}
