/* What the kernel says of this process's memory. Sizes in KiB; -1: could not tell. */
#ifndef THPFIX_TESTS_MEASURE_H
#define THPFIX_TESTS_MEASURE_H

#include <stddef.h>
#include <stdint.h>

struct memory {
    long long rss_kib;
    long long anon_huge_kib;
    long long map_entries;
    long long machine_free_kib; /* MemFree: other programs' memory as well */
    /* What the memory cgroup is charged with for user pages. Unlike the RSS it holds pages
     * that were unmapped but not yet freed; unlike MemFree, nobody else's. */
    long long cgroup_kib;
};

/* The mappings that the given addresses lie in, each counted once, but for exempt. */
struct mappings {
    long long rss_kib;
    long long anon_huge_kib;
    long long exempt; /* addresses in mappings with VM_NOHUGEPAGE */
};

void measure_memory(struct memory *ret_memory);

/* Sorts the addresses. */
void measure_mappings(uintptr_t *addresses, size_t count, struct mappings *ret_mappings);

/* Huge pages between start and end, by the page (PAGEMAP_SCAN, Linux 6.7), whatever
 * the mappings are. */
long long measure_huge_kib(uintptr_t start, uintptr_t end);

long long measure_read_number(const char *path);

#endif
