#include "shim/look.h"

#include "detect/host.h"
#include "detect/units.h"
#include "shim/real.h"

#include <stdatomic.h>

/* Asks the probe again only where it could not tell. */
static struct verdict look_at_host(int root, struct look *look, const struct thp_policy *policy)
{
    struct verdict_facts facts = {.policy = *policy};
    if (thp_policy_effective(policy) == THP_MODE_ALWAYS) {
        facts.optout = host_thp_optout();
        facts.exemption =
            (enum stack_exemption)atomic_load_explicit(&look->exemption, memory_order_relaxed);
        if (facts.exemption == STACK_EXEMPTION_UNKNOWN) {
            facts.exemption = host_probe_stack_exemption(root, look->page_bytes);
            atomic_store_explicit(&look->exemption, (int)facts.exemption, memory_order_relaxed);
        }
    }
    return verdict_decide(&facts);
}

/* What is decided whatever the host is like; else not evaluated. */
static struct verdict verdict_without_looking(const struct config *config, const char *program)
{
    if (real_gnu_get_libc_version() == NULL) {
        return (struct verdict){VERDICT_INERT, VERDICT_REASON_LIBC_UNSUPPORTED};
    }
    if (config->mode == CONFIG_OFF) {
        return (struct verdict){VERDICT_INERT, VERDICT_REASON_FORCED_OFF};
    }
    if (!config_selects(config, program)) {
        return (struct verdict){VERDICT_INERT, VERDICT_REASON_PROGRAM_NOT_SELECTED};
    }
    if (config->mode == CONFIG_ON) {
        return (struct verdict){VERDICT_ACTIVE, VERDICT_REASON_FORCED_ON};
    }
    return (struct verdict){VERDICT_UNKNOWN, VERDICT_REASON_NOT_EVALUATED};
}

/* Whether the kernel exempts stacks is told first: where it does, nothing can change that,
 * and no file is opened again, however long the program runs. */
struct verdict look_first(int root, const struct config *config, const char *program,
                          size_t page_bytes, struct look *ret_look)
{
    struct verdict verdict = verdict_without_looking(config, program);
    struct thp_policy policy = {0};
    ret_look->page_bytes = page_bytes;
    ret_look->settled = verdict.reason != VERDICT_REASON_NOT_EVALUATED;
    ret_look->exemption = STACK_EXEMPTION_UNKNOWN;
    if (!ret_look->settled) {
        ret_look->exemption = host_probe_stack_exemption(root, page_bytes);
        if (ret_look->exemption == STACK_EXEMPT) {
            ret_look->settled = true;
            verdict = (struct verdict){VERDICT_INERT, VERDICT_REASON_STACKS_EXEMPT};
        }
    }
    if (!ret_look->settled || verdict.kind == VERDICT_ACTIVE) {
        host_read_thp_policy(root, page_bytes, &policy);
    }
    ret_look->thp_bytes =
        is_power_of_two(policy.pmd_bytes) ? policy.pmd_bytes : pmd_bytes_from_page(page_bytes);
    return ret_look->settled ? verdict : look_at_host(root, ret_look, &policy);
}

bool look_again(int root, struct look *look, struct verdict before, struct verdict *ret_now)
{
    struct thp_policy policy;
    host_read_thp_policy(root, look->page_bytes, &policy);
    if (policy.enabled_status != READ_OK) {
        return false;
    }
    struct verdict now = look_at_host(root, look, &policy);
    if ((now.kind == before.kind && now.reason == before.reason) || now.kind == VERDICT_UNKNOWN) {
        return false;
    }
    *ret_now = now;
    return true;
}
