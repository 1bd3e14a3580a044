#include "detect/host.h"
#include "detect/root_read.h"
#include "detect/units.h"
#include "tests/unit/fixture_root.h"
#include <criterion/criterion.h>
#include <string.h>

static struct host_details details_of(const char *name)
{
    struct host_details details;
    memset(&details, 0xa5, sizeof(details));
    int root = fixture_root_open(name);
    host_read_details(root, &details);
    close(root);
    return details;
}

Test(host_details, of_a_recent_kernel)
{
    struct host_details details = details_of("linux-6.18");
    cr_assert_str_eq(details.defrag, "madvise");
    cr_assert_str_eq(details.shmem_enabled, "never");
    cr_assert_eq(details.khugepaged.defrag, 1);
    cr_assert_eq(details.khugepaged.pages_to_scan, 4096);
    cr_assert_eq(details.khugepaged.scan_sleep_ms, 10000);
    cr_assert_eq(details.khugepaged.alloc_sleep_ms, 60000);
    cr_assert_eq(details.khugepaged.max_ptes_none, 511);
    cr_assert_str_eq(details.kernel_release, "6.18.44");
    cr_assert_eq(details.max_map_count, 65530);

    /* 8 kB is there for shared memory only. */
    cr_assert_eq(details.size_count, 8);
    for (size_t i = 0; i < details.size_count; i++) {
        cr_assert_eq(details.sizes[i].bytes, (16 * KIB) << i);
        cr_assert_eq(details.sizes[i].status, READ_OK);
        cr_assert_eq(details.sizes[i].enabled, i == 7 ? THP_MODE_INHERIT : THP_MODE_NEVER);
    }
}

Test(host_details, of_an_old_kernel)
{
    struct host_details details = details_of("debian-5.10");
    cr_assert_str_eq(details.defrag, "madvise");
    cr_assert_eq(details.size_count, 0);
    cr_assert_str_eq(details.kernel_release, "5.10.0-32-amd64");
}

Test(host_details, of_large_sizes)
{
    struct host_details details = details_of("arm64-64k");
    cr_assert_eq(details.size_count, 1);
    cr_assert_eq(details.sizes[0].bytes, 512 * MIB);
    details = details_of("arm64-16k");
    cr_assert_eq(details.size_count, 2);
    cr_assert_eq(details.sizes[0].bytes, 2 * MIB);
    cr_assert_eq(details.sizes[0].enabled, THP_MODE_ALWAYS);
    cr_assert_eq(details.sizes[1].bytes, 32 * MIB);
}

Test(host_details, a_size_that_cannot_be_read_is_listed_as_that)
{
    struct host_details details = details_of("pmd-unreadable");
    cr_assert_eq(details.size_count, 1);
    cr_assert_eq(details.sizes[0].enabled, THP_MODE_UNKNOWN);
    cr_assert_eq(details.sizes[0].status, READ_FAILED);
}

Test(host_details, what_is_not_there_is_unknown)
{
    static const char *const names[] = {"no-thp", "wsl-only-size", "unreadable"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct host_details details = details_of(names[i]);
        cr_assert_str_eq(details.defrag, "");
        cr_assert_str_eq(details.shmem_enabled, "");
        cr_assert_eq(details.khugepaged.defrag, -1);
        cr_assert_eq(details.khugepaged.pages_to_scan, -1);
        cr_assert_eq(details.khugepaged.scan_sleep_ms, -1);
        cr_assert_eq(details.khugepaged.alloc_sleep_ms, -1);
        cr_assert_eq(details.khugepaged.max_ptes_none, -1);
        cr_assert_str_eq(details.kernel_release, "");
        cr_assert_eq(details.max_map_count, -1);
    }
}

Test(host_details, texts_of_no_known_form_are_unknown)
{
    char directory[FIXTURE_PATH_BYTES];
    char release[102]; /* more than is kept, less than is read */
    memset(release, '6', sizeof(release) - 2);
    memcpy(release + sizeof(release) - 2, "\n", 2);
    int root = fixture_root_make(directory);
    fixture_root_write(root, "sys/kernel/mm/transparent_hugepage/defrag", "always [mad");
    fixture_root_write(root, "sys/kernel/mm/transparent_hugepage/shmem_enabled",
                       "[a_word_that_is_longer_than_any_kernel_has_had]\n");
    fixture_root_write(root, "sys/kernel/mm/transparent_hugepage/khugepaged/pages_to_scan",
                       "9223372036854775808\n"); /* fits a size_t, not a long long */
    fixture_root_write(root, "proc/sys/kernel/osrelease", release);
    fixture_root_write(root, "proc/sys/vm/max_map_count", "lots\n");
    struct host_details details;
    host_read_details(root, &details);
    cr_assert_str_eq(details.defrag, "");
    cr_assert_str_eq(details.shmem_enabled, "");
    cr_assert_eq(details.khugepaged.pages_to_scan, -1);
    cr_assert_str_eq(details.kernel_release, "");
    cr_assert_eq(details.max_map_count, -1);
    close(root);
    fixture_root_remove(directory);
}

Test(host_details, the_glibc_tunable)
{
    static const struct {
        const char *tunables;
        int stack_hugetlb;
    } cases[] = {
        {"glibc.pthread.stack_hugetlb=0", 0},
        {"glibc.pthread.stack_hugetlb=1", 1},
        {"glibc.malloc.check=1:glibc.pthread.stack_hugetlb=0:glibc.malloc.perturb=3", 0},
        {"glibc.pthread.stack_hugetlb=1:glibc.pthread.stack_hugetlb=0", 0},
        {"", -1},
        {"::", -1},
        {"glibc.pthread.stack_hugetlb", -1},
        {"glibc.pthread.stack_hugetlb=", -1},
        {"glibc.pthread.stack_hugetlb=2", -1},
        {"glibc.pthread.stack_hugetlb=00", -1},
        {"xglibc.pthread.stack_hugetlb=0", -1},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cr_assert(setenv("GLIBC_TUNABLES", cases[i].tunables, 1) == 0);
        cr_assert_eq(details_of("no-sysfs").stack_hugetlb, cases[i].stack_hugetlb, "'%s'",
                     cases[i].tunables);
    }
    cr_assert(unsetenv("GLIBC_TUNABLES") == 0);
    cr_assert_eq(details_of("no-sysfs").stack_hugetlb, -1);
}

Test(host_details, of_this_machine)
{
    struct host_details details;
    host_read_details(ROOT_HOST, &details);
    cr_assert_gt(strlen(details.kernel_release), 2);
#ifdef __GLIBC__
    cr_assert(strncmp(details.glibc_version, "2.", 2) == 0, "'%s'", details.glibc_version);
#endif
}
