/* What the kernel says about transparent huge pages, as values.
 *
 * Unknown is a value of its own and always zero: what could not be read is never
 * taken for an answer.
 */
#ifndef THPFIX_DETECT_THP_STATE_H
#define THPFIX_DETECT_THP_STATE_H

#include <stdbool.h>
#include <stddef.h>

enum thp_mode {
    THP_MODE_UNKNOWN,
    THP_MODE_ALWAYS,
    THP_MODE_MADVISE,
    THP_MODE_NEVER,
    THP_MODE_INHERIT, /* only in the files of one size: the top level decides */
};

/* How a value was come by. */
enum read_status {
    READ_NOT_TRIED,
    READ_OK,
    READ_ABSENT,         /* no such file or directory */
    READ_DENIED,         /* EACCES, EPERM */
    READ_FAILED,         /* any other error, or absent against all the rest */
    READ_NOT_UNDERSTOOD, /* text of no known form: empty, cut, too long, new words */
    READ_NOT_MOUNTED,    /* absent, and so is what every sysfs has: that tells nothing */
};

/* All that the verdict needs of sysfs. */
struct thp_policy {
    enum thp_mode enabled; /* transparent_hugepage/enabled */
    enum read_status enabled_status;
    enum thp_mode pmd_enabled; /* hugepages-<pmd>kB/enabled, Linux 6.8 and later */
    enum read_status pmd_enabled_status;
    size_t pmd_bytes;      /* THP size; 0 only where not even the page size tells */
    bool pmd_bytes_stated; /* false: derived from the page size */
};

/* The policy in force for PMD-size pages: the size's own file decides unless it
 * says inherit or does not exist. A size file that could not be read or understood,
 * or was not tried, gives unknown. Never THP_MODE_INHERIT. Pure. */
enum thp_mode thp_policy_effective(const struct thp_policy *policy);

#endif
