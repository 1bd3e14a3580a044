/* Are stacks exempt here? Asked of this machine and of recorded ones. */
#include "detect/host.h"
#include "detect/root_read.h"
#include "detect/units.h"
#include "tests/unit/fixture_root.h"
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#define CALLERS_ERRNO 4711
#define LOW_HINT      ((void *)(64 * KIB))

static size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* The same question put another way: does any line of flags change by one nh when a
 * mapping with MAP_STACK is there? Knows nothing of our parser. */
static int count_no_huge_page(bool *ret_has_flags)
{
    char line[4096];
    int count = 0;
    FILE *smaps = fopen("/proc/self/smaps", "re");
    cr_assert(smaps != NULL, "/proc/self/smaps: %m");
    while (fgets(line, sizeof(line), smaps) != NULL) {
        if (strncmp(line, "VmFlags:", 8) == 0) {
            *ret_has_flags = true;
            count += strstr(line, " nh ") != NULL ? 1 : 0;
        }
    }
    fclose(smaps);
    return count;
}

static enum stack_exemption exemption_by_counting(void)
{
    bool has_flags = false;
    int before = count_no_huge_page(&has_flags);
    /* Shared memory merges with nothing. */
    void *mapping = mmap(NULL, 16 * page_bytes(), PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    cr_assert(mapping != MAP_FAILED);
    int after = count_no_huge_page(&has_flags);
    munmap(mapping, 16 * page_bytes());
    if (!has_flags) {
        return STACK_EXEMPTION_UNKNOWN;
    }
    return after > before ? STACK_EXEMPT : STACK_EXPOSED;
}

static void assert_host_answer(void)
{
    enum stack_exemption expected = exemption_by_counting();
    errno = CALLERS_ERRNO;
    enum stack_exemption found = host_probe_stack_exemption(ROOT_HOST, page_bytes());
    cr_assert_eq(errno, CALLERS_ERRNO);
    cr_assert_eq(found, expected, "%d, not %d", found, expected);
}

Test(host_probe, agrees_with_a_count_over_all_of_smaps)
{
    assert_host_answer();
}

Test(host_probe, a_low_place_that_is_taken_changes_nothing)
{
    void *taken = mmap(LOW_HINT, MIB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_eq(taken, LOW_HINT);
    assert_host_answer();
}

Test(host_probe, leaves_no_mapping_and_no_descriptor)
{
    int before = dup(0);
    close(before);
    (void)host_probe_stack_exemption(ROOT_HOST, page_bytes());
    int after = dup(0);
    close(after);
    cr_assert_eq(after, before);
    void *place = mmap(LOW_HINT, 2 * page_bytes(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_eq(place, LOW_HINT, "%p", place);
}

static long long bytes_read_so_far(void)
{
    char text[512];
    int fd = open("/proc/self/io", O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        cr_skip_test("no /proc/self/io: this kernel does not count what a process reads");
    }
    ssize_t length = read(fd, text, sizeof(text) - 1);
    close(fd);
    cr_assert_gt(length, 0);
    text[length] = '\0';
    cr_assert(strncmp(text, "rchar: ", 7) == 0);
    return strtoll(text + 7, NULL, 10);
}

/* A JVM has thousands of mappings and a heap that takes long to walk. */
Test(host_probe, reads_little_however_large_the_process)
{
    size_t pages = 10000;
    char *many = mmap(NULL, pages * page_bytes(), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert(many != MAP_FAILED);
    for (size_t i = 0; i < pages; i += 2) {
        cr_assert(mprotect(many + i * page_bytes(), page_bytes(), PROT_NONE) == 0, "%m");
    }
    long long start = bytes_read_so_far();
    long long of_asking = bytes_read_so_far() - start;
    start = bytes_read_so_far();
    (void)host_probe_stack_exemption(ROOT_HOST, page_bytes());
    long long of_probe = bytes_read_so_far() - start - of_asking;
    cr_assert_gt(of_probe, 0);
    cr_assert_leq(of_probe, 2048, "%lld bytes", of_probe);

    start = bytes_read_so_far();
    bool has_flags = false;
    (void)count_no_huge_page(&has_flags);
    cr_assert_gt(bytes_read_so_far() - start, 1000000, "the control: all of smaps is much");
}

static void without_address_space(void *context)
{
    (void)context;
    struct rlimit limit = {page_bytes(), page_bytes()};
    CHILD_REQUIRE(setrlimit(RLIMIT_AS, &limit) == 0);
    errno = CALLERS_ERRNO;
    CHILD_REQUIRE(host_probe_stack_exemption(ROOT_HOST, page_bytes()) == STACK_EXEMPTION_UNKNOWN);
    CHILD_REQUIRE(errno == CALLERS_ERRNO);
}

Test(host_probe, without_room_for_the_probe_it_is_unknown)
{
    fixture_in_child(without_address_space, NULL);
}

/* Answers mprotect and prctl with EPERM from here on. */
static bool forbid_mprotect_and_prctl(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

static void under_a_filter(void *expected)
{
    CHILD_REQUIRE(forbid_mprotect_and_prctl());
    errno = CALLERS_ERRNO;
    enum stack_exemption found = host_probe_stack_exemption(ROOT_HOST, page_bytes());
    CHILD_REQUIRE(errno == CALLERS_ERRNO);
    CHILD_REQUIRE(found == *(enum stack_exemption *)expected);
    CHILD_REQUIRE(host_thp_optout() == THP_OPTOUT_UNKNOWN);
    CHILD_REQUIRE(errno == CALLERS_ERRNO);
}

Test(host_probe, under_a_system_call_filter)
{
    enum stack_exemption expected = exemption_by_counting();
    fixture_in_child(under_a_filter, &expected);
}

Test(host_probe, recorded_machines)
{
    static const struct {
        const char *root;
        enum stack_exemption exemption;
    } cases[] = {
        {"debian-5.10", STACK_EXPOSED},          {"debian-6.1", STACK_EXPOSED},
        {"debian-6.12", STACK_EXEMPT},           {"linux-6.18", STACK_EXEMPT},
        {"no-sysfs", STACK_EXEMPTION_UNKNOWN}, /* no smaps */
        {"unreadable", STACK_EXEMPTION_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int root = fixture_root_open(cases[i].root);
        errno = CALLERS_ERRNO;
        enum stack_exemption found = host_probe_stack_exemption(root, page_bytes());
        cr_assert_eq(errno, CALLERS_ERRNO);
        cr_assert_eq(found, cases[i].exemption, "%s: %d", cases[i].root, found);
        close(root);
    }
}

#define OTHER    "00001000-00002000 r--p 00000000 00:00 0 \nRss: 0 kB\nVmFlags: rd nh \n"
#define ANYWHERE "00002000-7ffffffff000 ---p 00000000 00:00 0 \n"

Test(host_probe, made_up_smaps)
{
    static const struct {
        const char *smaps;
        enum stack_exemption exemption;
    } cases[] = {
        {OTHER ANYWHERE "VmFlags: mr mw me sd nh \n", STACK_EXEMPT},
        {OTHER ANYWHERE "VmFlags: mr mw me sd \n", STACK_EXPOSED},
        {OTHER ANYWHERE "VmFlags: mr mw me sd \n" OTHER, STACK_EXPOSED},
        /* before Linux 3.8, and by a later one that says more */
        {ANYWHERE "Rss: 0 kB\n", STACK_EXEMPTION_UNKNOWN},
        {ANYWHERE "Rss: 0 kB\nTHPeligible:    0\n", STACK_EXEMPTION_UNKNOWN},
        {ANYWHERE "Rss: 0 kB\nTHPeligible:    1\n", STACK_EXPOSED},
        {ANYWHERE "Future: [x] 3 furlongs\nVmFlags: mr q7 nh \nMore: 1\n", STACK_EXEMPT},
        /* our mapping is not there; cut; no smaps; nothing */
        {OTHER, STACK_EXEMPTION_UNKNOWN},
        {ANYWHERE "VmFlags: mr mw me sd", STACK_EXEMPTION_UNKNOWN},
        {"VmFlags: nh \n", STACK_EXEMPTION_UNKNOWN},
        {"", STACK_EXEMPTION_UNKNOWN},
    };
    char directory[FIXTURE_PATH_BYTES];
    int root = fixture_root_make(directory);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fixture_root_write(root, "proc/self/smaps", cases[i].smaps);
        enum stack_exemption found = host_probe_stack_exemption(root, page_bytes());
        cr_assert_eq(found, cases[i].exemption, "case %zu: %d", i, found);
    }
    close(root);
    fixture_root_remove(directory);
}

/* The entry before ours ends where ours begins. */
Test(host_probe, a_neighbour_is_not_taken_for_the_probe)
{
    char smaps[256];
    char directory[FIXTURE_PATH_BYTES];
    int root = fixture_root_make(directory);
    char *place = mmap(LOW_HINT, 2 * page_bytes(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert(place != MAP_FAILED && munmap(place, 2 * page_bytes()) == 0);
    snprintf(smaps, sizeof(smaps),
             "00001000-%08lx ---p 00000000 00:00 0 \nVmFlags: mr nh \n"
             "%08lx-7ffffffff000 ---p 00000000 00:00 0 \nVmFlags: mr \n",
             (unsigned long)place, (unsigned long)place);
    fixture_root_write(root, "proc/self/smaps", smaps);
    cr_assert_eq(host_probe_stack_exemption(root, page_bytes()), STACK_EXPOSED);
    close(root);
    fixture_root_remove(directory);
}
