/* The state of the machine and of this process, read below a root (root_read.h). */
#ifndef THPFIX_DETECT_HOST_H
#define THPFIX_DETECT_HOST_H

#include "detect/smaps_parse.h"
#include "detect/thp_state.h"
#include "detect/verdict.h"
#include <stddef.h>

/* Reads what the verdict needs of sysfs: three small files, some µs. Cannot fail:
 * what could not be read is unknown. No allocation, no cancellation point, errno
 * untouched; any thread, after fork. */
void host_read_thp_policy(int root, size_t page_bytes, struct thp_policy *ret_policy);

/* hugepages-<size>kB/enabled, Linux 6.8 and later. THP_MODE_UNKNOWN where the status
 * is not READ_OK. Same guarantees. */
void host_read_size_mode(int root, size_t size_bytes, enum thp_mode *ret_mode,
                         enum read_status *ret_status);

/* Maps a few pages with MAP_STACK, as glibc does for a thread stack, and asks smaps
 * whether they may hold huge pages (nh in VmFlags). The mapping is hinted to the
 * lowest free address, so that it is the first entry and the read stays short
 * however large the process. Unmaps it again. Same guarantees as above.
 * Unknown where smaps is missing or does not tell. */
enum stack_exemption host_probe_stack_exemption(int root, size_t page_bytes);

/* What the smaps entry of a mapping made with MAP_STACK says. Pure. */
enum stack_exemption host_exemption_of(const struct smaps_mapping *mapping);

/* PR_GET_THP_DISABLE of this process. Same guarantees. */
enum thp_optout host_thp_optout(void);

/* Everything else `thpfix check` shows; not for the preloaded library. */
struct host_details {
    char defrag[32];        /* the chosen word; "" unknown */
    char shmem_enabled[32]; /* likewise */
    struct host_khugepaged {
        long long defrag, pages_to_scan, scan_sleep_ms, alloc_sleep_ms, max_ptes_none;
    } khugepaged; /* -1 unknown */
    struct host_size_policy {
        size_t bytes;
        enum thp_mode enabled;
        enum read_status status;
    } sizes[32]; /* hugepages-*kB, ascending */
    size_t size_count;
    char kernel_release[80]; /* uname -r; "" unknown */
    char glibc_version[32];  /* of the running process; "" where the libc is another */
    /* glibc.pthread.stack_hugetlb in GLIBC_TUNABLES: -1 not set, else its value */
    int stack_hugetlb;
    long long max_map_count; /* -1 unknown */
};

void host_read_details(int root, struct host_details *ret_details);

#endif
