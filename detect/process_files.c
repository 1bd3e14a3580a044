#include "detect/process_files.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/ioctl.h>

/* Linux 6.11: headers that we are built with may be older. */
struct query {
    uint64_t size, flags, address;                               /* asked */
    uint64_t start, end, permissions, page_bytes, offset, inode; /* told */
    uint32_t device_major, device_minor;
    uint32_t name_bytes, build_id_bytes; /* room; then what it took */
    uint64_t name_address, build_id_address;
};
_Static_assert(sizeof(struct query) == 104, "as the kernel's procmap_query");

#define QUERY _IOWR('f', 17, struct query)

enum { READABLE = 0x01, WRITABLE = 0x02, EXECUTABLE = 0x04, SHARED = 0x08 }; /* permissions */
enum { OR_NEXT = 0x10, OF_FILE = 0x20 };                                     /* flags */

int process_next_file(int fd, uint64_t address, struct smaps_mapping *ret_mapping)
{
    char name[PATH_MAX];
    struct query query = {.size = sizeof(query),
                          .flags = OR_NEXT | OF_FILE,
                          .address = address,
                          .name_bytes = sizeof(name),
                          .name_address = (uintptr_t)name};
    int callers_errno = errno;
    if (ioctl(fd, QUERY, &query) != 0) {
        int error = errno;
        errno = callers_errno;
        return -error;
    }
    *ret_mapping = (struct smaps_mapping){.start = query.start,
                                          .end = query.end,
                                          .readable = (query.permissions & READABLE) != 0,
                                          .writable = (query.permissions & WRITABLE) != 0,
                                          .executable = (query.permissions & EXECUTABLE) != 0,
                                          .shared = (query.permissions & SHARED) != 0,
                                          .offset = query.offset,
                                          .inode = query.inode};
    /* What it took includes the end of the string. */
    size_t length = query.name_bytes > 0 ? query.name_bytes - 1 : 0;
    length = length < sizeof(ret_mapping->name) ? length : sizeof(ret_mapping->name) - 1;
    memcpy(ret_mapping->name, name, length);
    return 0;
}
