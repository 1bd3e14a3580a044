/* The policy that is read from recorded and made-up machines, and what follows. */
#include "detect/host.h"
#include "detect/root_read.h"
#include "detect/units.h"
#include "tests/unit/fixture_root.h"
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/prctl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#define CALLERS_ERRNO 4711

#define STATED  true
#define DERIVED false

static const struct machine {
    const char *root;
    size_t page_bytes;
    struct thp_policy policy;
    enum thp_mode effective;
    enum verdict_reason reason; /* where stacks are exposed and nobody opted out */
} machines[] = {
/* root, page in KiB, mode and status of the top level, of the PMD size's own file,
 * THP size in MiB and whether the kernel states it, policy in force, reason */
#define M(root, page_kib, top, top_status, pmd, pmd_status, thp_mib, stated, effective, reason)    \
    {root,                                                                                         \
     (page_kib)*KIB,                                                                               \
     {THP_MODE_##top, READ_##top_status, THP_MODE_##pmd, READ_##pmd_status, (thp_mib)*MIB,         \
      stated},                                                                                     \
     THP_MODE_##effective,                                                                         \
     VERDICT_REASON_##reason},
    // clang-format off
    /* recorded */
    M("debian-5.10", 4, ALWAYS, OK, UNKNOWN, ABSENT, 2, STATED, ALWAYS, AFFECTED)
    M("debian-6.1", 4, ALWAYS, OK, UNKNOWN, ABSENT, 2, STATED, ALWAYS, AFFECTED)
    M("debian-6.12", 4, ALWAYS, OK, INHERIT, OK, 2, STATED, ALWAYS, AFFECTED)
    M("linux-6.18", 4, MADVISE, OK, INHERIT, OK, 2, STATED, MADVISE, MODE_MADVISE)
    /* no THP, and no sysfs to tell */
    M("no-thp", 4, UNKNOWN, ABSENT, UNKNOWN, ABSENT, 2, DERIVED, UNKNOWN, NO_THP)
    M("no-sysfs", 4, UNKNOWN, NOT_MOUNTED, UNKNOWN, NOT_MOUNTED, 2, DERIVED, UNKNOWN, MODE_UNKNOWN)
    /* text of no known form */
    M("empty", 4, UNKNOWN, NOT_UNDERSTOOD, UNKNOWN, ABSENT, 2, STATED, UNKNOWN, MODE_UNKNOWN)
    M("cut", 4, UNKNOWN, NOT_UNDERSTOOD, UNKNOWN, ABSENT, 2, STATED, UNKNOWN, MODE_UNKNOWN)
    M("cut-at-word", 4, UNKNOWN, NOT_UNDERSTOOD, UNKNOWN, ABSENT, 2, STATED, UNKNOWN, MODE_UNKNOWN)
    M("new-word", 4, UNKNOWN, NOT_UNDERSTOOD, UNKNOWN, ABSENT, 2, STATED, UNKNOWN, MODE_UNKNOWN)
    M("two-brackets", 4, UNKNOWN, NOT_UNDERSTOOD, UNKNOWN, ABSENT, 2, STATED, UNKNOWN, MODE_UNKNOWN)
    M("no-brackets", 4, UNKNOWN, NOT_UNDERSTOOD, UNKNOWN, ABSENT, 2, STATED, UNKNOWN, MODE_UNKNOWN)
    M("top-inherit", 4, UNKNOWN, NOT_UNDERSTOOD, UNKNOWN, ABSENT, 2, STATED, UNKNOWN, MODE_UNKNOWN)
    M("long", 4, UNKNOWN, NOT_UNDERSTOOD, UNKNOWN, ABSENT, 2, DERIVED, UNKNOWN, MODE_UNKNOWN)
    M("pmd-cut", 4, ALWAYS, OK, UNKNOWN, NOT_UNDERSTOOD, 2, STATED, UNKNOWN, MODE_UNKNOWN)
    /* unreadable, also for root */
    M("unreadable", 4, UNKNOWN, FAILED, UNKNOWN, FAILED, 2, DERIVED, UNKNOWN, MODE_UNKNOWN)
    M("pmd-unreadable", 4, ALWAYS, OK, UNKNOWN, FAILED, 2, STATED, UNKNOWN, MODE_UNKNOWN)
    /* no hpage_pmd_size, or one that cannot be; parts that contradict each other */
    M("linux-4.4", 4, ALWAYS, OK, UNKNOWN, ABSENT, 2, DERIVED, ALWAYS, AFFECTED)
    M("wsl-no-size", 4, ALWAYS, OK, UNKNOWN, ABSENT, 2, DERIVED, ALWAYS, AFFECTED)
    M("wsl-size-zero", 4, ALWAYS, OK, UNKNOWN, ABSENT, 2, DERIVED, ALWAYS, AFFECTED)
    M("wsl-size-odd", 4, ALWAYS, OK, UNKNOWN, ABSENT, 2, DERIVED, ALWAYS, AFFECTED)
    M("wsl-only-size", 4, UNKNOWN, FAILED, UNKNOWN, ABSENT, 2, STATED, UNKNOWN, MODE_UNKNOWN)
    M("wsl-empty-directory", 4, UNKNOWN, FAILED, UNKNOWN, ABSENT, 2, DERIVED, UNKNOWN, MODE_UNKNOWN)
    /* other THP sizes */
    M("arm64-16k", 16, ALWAYS, OK, INHERIT, OK, 32, STATED, ALWAYS, AFFECTED)
    M("arm64-64k", 64, ALWAYS, OK, INHERIT, OK, 512, STATED, ALWAYS, AFFECTED)
    M("arm64-64k-old", 64, ALWAYS, OK, UNKNOWN, ABSENT, 512, DERIVED, ALWAYS, AFFECTED)
    /* the size's own file against the top level */
    M("madvise-pmd-always", 4, MADVISE, OK, ALWAYS, OK, 2, STATED, ALWAYS, AFFECTED)
    M("never-pmd-always", 4, NEVER, OK, ALWAYS, OK, 2, STATED, ALWAYS, AFFECTED)
    M("always-pmd-never", 4, ALWAYS, OK, NEVER, OK, 2, STATED, NEVER, MODE_NEVER)
    M("always-pmd-madvise", 4, ALWAYS, OK, MADVISE, OK, 2, STATED, MADVISE, MODE_MADVISE)
    M("always-pmd-inherit", 4, ALWAYS, OK, INHERIT, OK, 2, STATED, ALWAYS, AFFECTED)
// clang-format on
#undef M
};

static void assert_policy(const struct thp_policy *policy, const struct thp_policy *expected,
                          const char *name)
{
    cr_assert_eq(policy->enabled, expected->enabled, "%s: mode %d", name, policy->enabled);
    cr_assert_eq(policy->enabled_status, expected->enabled_status, "%s: status %d", name,
                 policy->enabled_status);
    cr_assert_eq(policy->pmd_enabled, expected->pmd_enabled, "%s: mode of the size %d", name,
                 policy->pmd_enabled);
    cr_assert_eq(policy->pmd_enabled_status, expected->pmd_enabled_status,
                 "%s: status of the size %d", name, policy->pmd_enabled_status);
    cr_assert_eq(policy->pmd_bytes, expected->pmd_bytes, "%s: %zu", name, policy->pmd_bytes);
    cr_assert_eq(policy->pmd_bytes_stated, expected->pmd_bytes_stated, "%s: stated", name);
}

Test(host, every_machine_is_read_and_judged)
{
    for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
        const struct machine *machine = &machines[i];
        int root = fixture_root_open(machine->root);
        struct verdict_facts facts = {.optout = THP_OPTOUT_NO, .exemption = STACK_EXPOSED};
        memset(&facts.policy, 0xa5, sizeof(facts.policy));
        int next_descriptor = dup(root);
        close(next_descriptor);
        errno = CALLERS_ERRNO;
        host_read_thp_policy(root, machine->page_bytes, &facts.policy);
        cr_assert_eq(errno, CALLERS_ERRNO);
        cr_assert_eq(dup(root), next_descriptor, "%s: one was left open", machine->root);
        close(next_descriptor);
        close(root);

        assert_policy(&facts.policy, &machine->policy, machine->root);
        cr_assert_eq(thp_policy_effective(&facts.policy), machine->effective, "%s", machine->root);
        struct verdict verdict = verdict_decide(&facts);
        cr_assert_eq(verdict.reason, machine->reason, "%s: %s", machine->root,
                     verdict_reason_word(verdict.reason));
    }
}

Test(host, a_page_size_that_is_none_gives_no_thp_size)
{
    static const size_t page_sizes[] = {0, 3, 4097, SIZE_MAX, (SIZE_MAX >> 1) + 1};
    int root = fixture_root_open("linux-4.4");
    for (size_t i = 0; i < sizeof(page_sizes) / sizeof(page_sizes[0]); i++) {
        struct thp_policy policy;
        host_read_thp_policy(root, page_sizes[i], &policy);
        cr_assert_eq(policy.pmd_bytes, 0, "page %zu: %zu", page_sizes[i], policy.pmd_bytes);
        cr_assert_eq(thp_policy_effective(&policy), THP_MODE_UNKNOWN);
    }
    close(root);
}

static void read_as_nobody(void *context)
{
    CHILD_REQUIRE(geteuid() != 0 || setuid(65534) == 0);
    struct thp_policy policy;
    host_read_thp_policy(*(int *)context, 4 * KIB, &policy);
    CHILD_REQUIRE(policy.enabled_status == READ_DENIED);
    CHILD_REQUIRE(policy.enabled == THP_MODE_UNKNOWN);
    CHILD_REQUIRE(policy.pmd_bytes == 2 * MIB && policy.pmd_bytes_stated); /* readable: control */
    CHILD_REQUIRE(thp_policy_effective(&policy) == THP_MODE_UNKNOWN);
}

Test(host, a_denied_file_is_unknown)
{
    char directory[FIXTURE_PATH_BYTES];
    int root = fixture_root_make(directory);
    cr_assert(fchmod(root, 0755) == 0);
    fixture_root_write(root, "sys/kernel/mm/transparent_hugepage/enabled",
                       "[always] madvise never\n");
    fixture_root_write(root, "sys/kernel/mm/transparent_hugepage/hpage_pmd_size", "2097152\n");
    cr_assert(fchmodat(root, "sys/kernel/mm/transparent_hugepage/enabled", 0, 0) == 0);
    fixture_in_child(read_as_nobody, &root);
    close(root);
    fixture_root_remove(directory);
}

static void opt_out(void *context)
{
    errno = CALLERS_ERRNO;
    CHILD_REQUIRE(prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0) == 0);
    CHILD_REQUIRE(host_thp_optout() == THP_OPTOUT_NO);
    CHILD_REQUIRE(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) == 0);
    CHILD_REQUIRE(host_thp_optout() == THP_OPTOUT_YES);
    CHILD_REQUIRE(errno == CALLERS_ERRNO);
    /* "Except where advised", Linux 6.18: nobody advises stacks. Others refuse it. */
    if (prctl(PR_SET_THP_DISABLE, 1, 1 << 1, 0, 0) == 0) {
        CHILD_REQUIRE(host_thp_optout() == THP_OPTOUT_YES);
    }
    errno = CALLERS_ERRNO;
    struct verdict_facts facts = {.optout = host_thp_optout(), .exemption = STACK_EXPOSED};
    host_read_thp_policy(*(int *)context, 4 * KIB, &facts.policy);
    CHILD_REQUIRE(verdict_decide(&facts).reason == VERDICT_REASON_PROCESS_OPTED_OUT);
}

Test(host, a_process_opted_out_by_prctl)
{
    int root = fixture_root_open("debian-6.1");
    fixture_in_child(opt_out, &root);
    close(root);
}

Test(host, this_machine_reads_as_its_files_say)
{
    struct thp_policy policy;
    host_read_thp_policy(ROOT_HOST, (size_t)sysconf(_SC_PAGESIZE), &policy);
    int host = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct thp_policy below_root;
    host_read_thp_policy(host, (size_t)sysconf(_SC_PAGESIZE), &below_root);
    assert_policy(&below_root, &policy, "/");
    cr_assert_neq(policy.enabled_status, READ_NOT_TRIED);
    close(host);
}
