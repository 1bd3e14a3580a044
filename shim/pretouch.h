/* Populates memory: makes every page of a range present and writable, so that its first use
 * takes no page fault. Never changes a byte, whatever uses the range meanwhile.
 *
 * By MADV_POPULATE_WRITE (Linux 5.14) where it was seen to work: one call for 2 MiB,
 * so that whole huge pages are made at once and the process's lock on its mappings is
 * free again soon. Else by an atomic addition of 0 to one word of each page. No
 * allocation, no lock, no cancellation point, errno untouched: any thread, after fork,
 * in a signal handler.
 */
#ifndef THPFIX_SHIM_PRETOUCH_H
#define THPFIX_SHIM_PRETOUCH_H

#include <stddef.h>
#include <stdint.h>

enum pretouch_memory {
    /* Others may unmap or protect it meanwhile, or it has holes already: the kernel does
     * the additions, and a page that cannot be written is an error, not a signal. */
    PRETOUCH_MAY_VANISH,
    /* The caller vouches that all of it is and stays writable. */
    PRETOUCH_STAYS,
};

struct pretouch_result {
    size_t done_bytes; /* populated, from the start of the range on */
    int error;         /* 0: all of it; else the -errno that stopped it */
};

/* Populates the pages that hold the bytes from start on. page_bytes is the kernel's page
 * size. Goes on after EINTR; stops at the first page that cannot be had:
 *   -EFAULT     not writable (PROT_NONE, read-only, a guard region), or not mapped
 *   -ENOMEM     not mapped, or no memory
 *   -EHWPOISON  broken memory
 *   -EINVAL     no range: start + bytes lies beyond the end of the address space */
struct pretouch_result pretouch(uintptr_t start, size_t bytes, size_t page_bytes,
                                enum pretouch_memory memory);

/* Finds out now whether MADV_POPULATE_WRITE works, rather than at the first use: the
 * program may put on a seccomp filter that forbids to look. */
void pretouch_prepare(size_t page_bytes);

#endif
