#include "detect/host.h"
#include "detect/root_read.h"
#include "detect/thp_parse.h"
#include "detect/units.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#define THP_DIRECTORY "/sys/kernel/mm/transparent_hugepage"
#define KHUGEPAGED    THP_DIRECTORY "/khugepaged"

static void read_choice(int root, const char *path, char *ret_word, size_t size)
{
    char text[128];
    size_t start;
    size_t word_length;
    ssize_t length = root_read(root, path, text, sizeof(text));
    if (length < 0 || thp_parse_choice(text, (size_t)length, &start, &word_length) != 0 ||
        word_length >= size) {
        return;
    }
    memcpy(ret_word, text + start, word_length);
    ret_word[word_length] = '\0';
}

static long long read_number(int root, const char *path)
{
    char text[32];
    size_t number;
    ssize_t length = root_read(root, path, text, sizeof(text));
    if (length < 0 || thp_parse_number(text, (size_t)length, &number) != 0 || number > LLONG_MAX) {
        return -1;
    }
    return (long long)number;
}

static void read_khugepaged(int root, struct host_khugepaged *ret_khugepaged)
{
    ret_khugepaged->defrag = read_number(root, KHUGEPAGED "/defrag");
    ret_khugepaged->pages_to_scan = read_number(root, KHUGEPAGED "/pages_to_scan");
    ret_khugepaged->scan_sleep_ms = read_number(root, KHUGEPAGED "/scan_sleep_millisecs");
    ret_khugepaged->alloc_sleep_ms = read_number(root, KHUGEPAGED "/alloc_sleep_millisecs");
    ret_khugepaged->max_ptes_none = read_number(root, KHUGEPAGED "/max_ptes_none");
}

/* The sizes that any architecture could have, each by its name: no list of the
 * directory is needed. Linux makes one for every order up to the PMD's. */
static size_t read_sizes(int root, struct host_size_policy *ret_sizes, size_t capacity)
{
    size_t count = 0;
    for (size_t bytes = 8 * KIB; bytes <= 16 * KIB * MIB && count < capacity; bytes *= 2) {
        struct host_size_policy policy = {.bytes = bytes};
        host_read_size_mode(root, bytes, &policy.enabled, &policy.status);
        if (policy.status != READ_ABSENT) {
            ret_sizes[count++] = policy;
        }
    }
    return count;
}

static void read_kernel_release(int root, char *ret_release, size_t size)
{
    char text[128];
    ssize_t length = root_read(root, "/proc/sys/kernel/osrelease", text, sizeof(text));
    if (length < 2 || text[length - 1] != '\n' || (size_t)length > size) {
        return;
    }
    memcpy(ret_release, text, (size_t)length - 1);
    ret_release[length - 1] = '\0';
}

static void read_glibc_version(char *ret_version, size_t size)
{
#ifdef __GLIBC__
    const char *version = gnu_get_libc_version();
    size_t length = strlen(version);
    if (length < size) {
        memcpy(ret_version, version, length + 1);
    }
#else
    (void)ret_version;
    (void)size;
#endif
}

/* "glibc.malloc.check=1:glibc.pthread.stack_hugetlb=0"; as in glibc, a value that is
 * none counts as not set, and of several the last wins. */
static int stack_hugetlb_of(const char *tunables)
{
    static const char name[] = "glibc.pthread.stack_hugetlb=";
    int value = -1;
    while (*tunables != '\0') {
        size_t length = strcspn(tunables, ":");
        if (length == sizeof(name) && memcmp(tunables, name, sizeof(name) - 1) == 0) {
            char digit = tunables[sizeof(name) - 1];
            if (digit == '0' || digit == '1') {
                value = digit - '0';
            }
        }
        tunables += length;
        tunables += *tunables == ':' ? 1 : 0;
    }
    return value;
}

void host_read_details(int root, struct host_details *ret_details)
{
    struct host_details details = {0};
    read_choice(root, THP_DIRECTORY "/defrag", details.defrag, sizeof(details.defrag));
    read_choice(root, THP_DIRECTORY "/shmem_enabled", details.shmem_enabled,
                sizeof(details.shmem_enabled));
    read_khugepaged(root, &details.khugepaged);
    details.size_count =
        read_sizes(root, details.sizes, sizeof(details.sizes) / sizeof(details.sizes[0]));
    read_kernel_release(root, details.kernel_release, sizeof(details.kernel_release));
    read_glibc_version(details.glibc_version, sizeof(details.glibc_version));
    const char *tunables = getenv("GLIBC_TUNABLES");
    details.stack_hugetlb = stack_hugetlb_of(tunables != NULL ? tunables : "");
    details.max_map_count = read_number(root, "/proc/sys/vm/max_map_count");
    *ret_details = details;
}
