/* A place in another process for a few instructions. */
#ifndef THPFIX_SHIM_CLI_HEAL_ROOM_H
#define THPFIX_SHIM_CLI_HEAL_ROOM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The last bytes of the executable pages of the C library or the loader, behind all that
 * their files put there: they are zeros that nothing refers to, and they are never
 * unmapped. A place that holds the code already, from an earlier time, will do as well.
 * 0; -ENOSPC there is none; -ENOENT there is no glibc; -errno of a read. */
int heal_room_find(pid_t tid, const unsigned char *code, size_t code_bytes, uint64_t *ret_address);

/* The end of what an ELF file puts into the executable mapping at start, when its first page is
 * mapped at header. headers: that page. 0 or -ENOEXEC. Pure. */
int heal_room_segment_end(const unsigned char *headers, size_t size, uint64_t header,
                          uint64_t start, uint64_t *ret_end);

#endif
