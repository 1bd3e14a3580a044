#include "detect/host.h"
#include "detect/root_read.h"
#include "detect/thp_parse.h"
#include "detect/units.h"
#include <errno.h>
#include <linux/prctl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MM_DIRECTORY  "/sys/kernel/mm" /* in every sysfs, whatever is configured */
#define THP_DIRECTORY MM_DIRECTORY "/transparent_hugepage"

static enum read_status read_mode(int root, const char *path, enum thp_mode *ret_mode)
{
    char text[128];
    ssize_t length = root_read(root, path, text, sizeof(text));
    enum thp_mode mode = THP_MODE_UNKNOWN;
    enum read_status status = root_read_status(length);
    if (status == READ_OK && thp_parse_mode(text, (size_t)length, &mode) != 0) {
        status = READ_NOT_UNDERSTOOD;
    }
    *ret_mode = mode;
    return status;
}

static enum read_status directory_status(int root, const char *path)
{
    int fd = root_open(root, path);
    if (fd >= 0) {
        root_close(fd);
    }
    return root_read_status(fd);
}

/* What the absence of the mode's file means. A kernel without THP has no directory for
 * it; a chroot without sysfs has neither, and its kernel may have THP all the same; and
 * the directory without the file is like no kernel. */
static enum read_status absence_status(int root)
{
    if (directory_status(root, THP_DIRECTORY) != READ_ABSENT) {
        return READ_FAILED;
    }
    enum read_status status = directory_status(root, MM_DIRECTORY);
    if (status == READ_ABSENT) {
        return READ_NOT_MOUNTED;
    }
    return status == READ_OK ? READ_ABSENT : status;
}

/* 0 where the kernel does not say, or says what can be no THP size. */
static size_t read_pmd_bytes(int root, size_t page_bytes)
{
    char text[32];
    ssize_t length = root_read(root, THP_DIRECTORY "/hpage_pmd_size", text, sizeof(text));
    size_t bytes;
    if (length < 0 || thp_parse_number(text, (size_t)length, &bytes) != 0 ||
        !is_power_of_two(bytes) || bytes <= page_bytes) {
        return 0;
    }
    return bytes;
}

void host_read_size_mode(int root, size_t size_bytes, enum thp_mode *ret_mode,
                         enum read_status *ret_status)
{
    static const char head[] = THP_DIRECTORY "/hugepages-";
    static const char tail[] = "kB/enabled";
    char path[sizeof(head) + 3 * sizeof(size_t) + sizeof(tail)];
    char digits[3 * sizeof(size_t)];
    size_t first = sizeof(digits);
    size_t kib = size_bytes / KIB;
    do {
        digits[--first] = (char)('0' + kib % 10);
        kib /= 10;
    } while (kib != 0);

    char *at = path;
    memcpy(at, head, sizeof(head) - 1);
    at += sizeof(head) - 1;
    memcpy(at, digits + first, sizeof(digits) - first);
    at += sizeof(digits) - first;
    memcpy(at, tail, sizeof(tail));
    *ret_status = read_mode(root, path, ret_mode);
}

void host_read_thp_policy(int root, size_t page_bytes, struct thp_policy *ret_policy)
{
    struct thp_policy policy = {0};
    policy.enabled_status = read_mode(root, THP_DIRECTORY "/enabled", &policy.enabled);
    if (policy.enabled == THP_MODE_INHERIT) {
        policy.enabled = THP_MODE_UNKNOWN; /* the top level has nothing to inherit from */
        policy.enabled_status = READ_NOT_UNDERSTOOD;
    }
    if (policy.enabled_status == READ_ABSENT) {
        policy.enabled_status = absence_status(root);
    }
    policy.pmd_bytes = read_pmd_bytes(root, page_bytes);
    policy.pmd_bytes_stated = policy.pmd_bytes != 0;
    /* The bound keeps the product from overflowing; no kernel has larger base pages. */
    if (!policy.pmd_bytes_stated && is_power_of_two(page_bytes) && page_bytes <= MIB) {
        policy.pmd_bytes = pmd_bytes_from_page(page_bytes);
    }
    if (policy.enabled_status == READ_NOT_MOUNTED) {
        policy.pmd_enabled_status = READ_NOT_MOUNTED;
    } else if (policy.pmd_bytes != 0) {
        host_read_size_mode(root, policy.pmd_bytes, &policy.pmd_enabled,
                            &policy.pmd_enabled_status);
    }
    *ret_policy = policy;
}

enum stack_exemption host_exemption_of(const struct smaps_mapping *mapping)
{
    if (mapping->has_vm_flags) {
        return mapping->no_huge_page ? STACK_EXEMPT : STACK_EXPOSED;
    }
    /* Not eligible may just mean too small. */
    return mapping->has_thp_eligible && mapping->thp_eligible ? STACK_EXPOSED
                                                              : STACK_EXEMPTION_UNKNOWN;
}

struct probe {
    uint64_t address;
    enum stack_exemption exemption;
};

static int look_at_mapping(const struct smaps_mapping *mapping, void *context)
{
    struct probe *probe = context;
    /* The kernel may have merged the probe with a neighbour of the same kind. */
    if (probe->address < mapping->start || probe->address >= mapping->end) {
        return 0;
    }
    probe->exemption = host_exemption_of(mapping);
    return 1;
}

static void find_in_smaps(int root, struct probe *probe)
{
    /* Not /proc/self: that is the first thread, which may have ended. Before Linux 3.17
     * there is nothing else. */
    int fd = root_open(root, "/proc/thread-self/smaps");
    if (fd == -ENOENT) {
        fd = root_open(root, "/proc/self/smaps");
    }
    if (fd < 0) {
        return;
    }
    struct smaps_parser parser;
    smaps_parser_begin(&parser);
    /* Less than one entry: the kernel makes entries until the buffer is full, and an
     * entry costs it a walk of the mapping's page tables. */
    char text[512];
    ssize_t length;
    int result = 0;
    while (result == 0 && (length = root_read_some(fd, text, sizeof(text))) > 0) {
        result = smaps_parser_feed(&parser, text, (size_t)length, look_at_mapping, probe);
    }
    if (result == 0 && length == 0) {
        (void)smaps_parser_end(&parser, look_at_mapping, probe);
    }
    root_close(fd);
}

enum stack_exemption host_probe_stack_exemption(int root, size_t page_bytes)
{
    int callers_errno = errno;
    /* A hint below vm.mmap_min_addr is raised to it; where the place is taken, the
     * kernel chooses another, and only the reading takes longer. Without access, so
     * that a stray null pointer of the program still faults. */
    uintptr_t hint = 64 * KIB;
    size_t bytes = 2 * page_bytes;
    long address =
        syscall(SYS_mmap, hint, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (address == -1) {
        errno = callers_errno;
        return STACK_EXEMPTION_UNKNOWN;
    }
    /* The second page becomes an entry of its own, so that the one which the kernel
     * makes ahead is empty, and not a heap of many GiB. */
    (void)syscall(SYS_mprotect, address + (long)page_bytes, page_bytes, PROT_READ);
    struct probe probe = {.address = (uint64_t)address, .exemption = STACK_EXEMPTION_UNKNOWN};
    find_in_smaps(root, &probe);
    (void)syscall(SYS_munmap, address, bytes);
    errno = callers_errno;
    return probe.exemption;
}

enum thp_optout host_thp_optout(void)
{
    int callers_errno = errno;
    /* Linux 6.18 knows more than yes and no ("except where advised", for one): stacks
     * are not advised, so that all of these mean yes to them. */
    long disabled = syscall(SYS_prctl, PR_GET_THP_DISABLE, 0, 0, 0, 0);
    errno = callers_errno;
    if (disabled < 0) {
        return THP_OPTOUT_UNKNOWN;
    }
    return disabled != 0 ? THP_OPTOUT_YES : THP_OPTOUT_NO;
}
