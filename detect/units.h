/* Page and THP arithmetic that cannot overflow unnoticed.
 *
 * All quantities are bytes. Pure: any thread, after fork, in a signal handler.
 * Alignments are powers of two.
 */
#ifndef THPFIX_DETECT_UNITS_H
#define THPFIX_DETECT_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KIB ((size_t)1024)
#define MIB (KIB * KIB)

static inline bool is_power_of_two(size_t n)
{
    return n != 0 && (n & (n - 1)) == 0;
}

static inline uintptr_t align_down(uintptr_t n, size_t alignment)
{
    return n & ~(uintptr_t)(alignment - 1);
}

/* Rounds up; false, with *ret_aligned untouched, where the result does not fit. */
static inline bool align_up(uintptr_t n, size_t alignment, uintptr_t *ret_aligned)
{
    uintptr_t sum;
    if (__builtin_add_overflow(n, alignment - 1, &sum)) {
        return false;
    }
    *ret_aligned = align_down(sum, alignment);
    return true;
}

/* What one entry of the page-middle directory maps: a page of page-table entries,
 * each for one page. 4 KiB pages give 2 MiB, 16 KiB pages 32 MiB, 64 KiB pages
 * 512 MiB. True for every 64-bit architecture this library is built for; used only
 * where the kernel does not say (hpage_pmd_size is missing before Linux 4.10). */
static inline size_t pmd_bytes_from_page(size_t page_bytes)
{
    return page_bytes * (page_bytes / 8);
}

#endif
