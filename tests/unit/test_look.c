/* Looks after the first: what changes the verdict, and what is just not to be read. */
#include "shim/look.h"
#include "detect/root_read.h"
#include "detect/thp_state.h"
#include "tests/unit/fixture_root.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <sys/resource.h>

#define THP "sys/kernel/mm/transparent_hugepage/"

static const struct verdict affected = {VERDICT_ACTIVE, VERDICT_REASON_AFFECTED};
static char directory[FIXTURE_PATH_BYTES];
static int root;

static void make_root(void)
{
    root = fixture_root_make(directory);
    fixture_root_write(root, THP "enabled", "[always] madvise never\n");
    fixture_root_write(root, THP "hpage_pmd_size", "2097152\n");
    fixture_root_write(root, THP "hugepages-2048kB/enabled", "always [inherit] madvise never\n");
}

static void remove_root(void)
{
    close(root);
    fixture_root_remove(directory);
}

static struct look exposed_host(void)
{
    return (struct look){
        .page_bytes = 4096, .thp_bytes = (size_t)2 << 20, .exemption = STACK_EXPOSED};
}

TestSuite(look, .init = make_root, .fini = remove_root);

Test(look, the_same_mode_is_no_change)
{
    struct look look = exposed_host();
    struct verdict now = {VERDICT_UNKNOWN, VERDICT_REASON_NOT_EVALUATED};
    cr_assert_not(look_again(root, &look, affected, &now));
    cr_assert_eq(now.reason, VERDICT_REASON_NOT_EVALUATED);
}

Test(look, another_mode_is)
{
    struct look look = exposed_host();
    struct verdict now;
    fixture_root_write(root, THP "enabled", "always madvise [never]\n");
    cr_assert(look_again(root, &look, affected, &now));
    cr_assert_eq(now.kind, VERDICT_INERT);
    cr_assert_eq(now.reason, VERDICT_REASON_MODE_NEVER);
    fixture_root_write(root, THP "enabled", "[always] madvise never\n");
    cr_assert(look_again(root, &look, now, &now));
    cr_assert_eq(now.kind, VERDICT_ACTIVE);
}

Test(look, text_of_no_known_form_is_none)
{
    static const char *const texts[] = {"", "always", "[sometimes]\n", "[always] [never]\n"};
    struct look look = exposed_host();
    struct verdict now;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        fixture_root_write(root, THP "enabled", texts[i]);
        cr_assert_not(look_again(root, &look, affected, &now), "'%s'", texts[i]);
        fixture_root_write(root, THP "enabled", "[always] madvise never\n");
        fixture_root_write(root, THP "hugepages-2048kB/enabled", texts[i]);
        cr_assert_not(look_again(root, &look, affected, &now), "size: '%s'", texts[i]);
        fixture_root_write(root, THP "hugepages-2048kB/enabled", "[inherit]\n");
    }
}

static void without_descriptors(void *unused)
{
    struct rlimit limit = {0, 0};
    struct look look = exposed_host();
    struct verdict now;
    (void)unused;
    CHILD_REQUIRE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    CHILD_REQUIRE(open("/dev/null", O_RDONLY) == -1);
    CHILD_REQUIRE(!look_again(root, &look, affected, &now));
}

Test(look, no_descriptor_to_be_had_is_none)
{
    fixture_in_child(without_descriptors, NULL);
}

Test(look, a_chroot_without_sysfs_is_none)
{
    char empty[FIXTURE_PATH_BYTES];
    struct look look = exposed_host();
    struct verdict now;
    int nothing = fixture_root_make(empty);
    cr_assert_not(look_again(nothing, &look, affected, &now));
    close(nothing);
    fixture_root_remove(empty);
}
