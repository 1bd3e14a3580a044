/* half_freed: shows that RSS does not tell whether memory is free.
 *
 * Makes huge pages and takes all but one page of each out of the page tables. The RSS
 * falls; the memory stays taken. Prints key=value lines.
 */
#include "measure.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define THP_BYTES ((size_t)2 << 20)
#define BLOCKS    ((size_t)32)

int main(void)
{
    size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    struct memory before, after;

    measure_memory(&before); /* once for the heap of stdio */
    measure_memory(&before);
    char *area = mmap(NULL, (BLOCKS + 1) * THP_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (area == MAP_FAILED) {
        perror("mmap");
        return EXIT_FAILURE;
    }
    char *block = (char *)(((uintptr_t)area + THP_BYTES - 1) & ~(THP_BYTES - 1));
    memset(block, 1, BLOCKS * THP_BYTES); /* not zero: the kernel merges pages of zeros */
    for (size_t i = 0; i < BLOCKS; i++, block += THP_BYTES) {
        if (madvise(block + page_bytes, THP_BYTES - page_bytes, MADV_DONTNEED) < 0) {
            perror("madvise");
            return EXIT_FAILURE;
        }
    }
    measure_memory(&after);
    printf("rss_growth_kib=%lld\n", after.rss_kib - before.rss_kib);
    printf("memfree_drop_kib=%lld\n", before.machine_free_kib - after.machine_free_kib);
    if (before.cgroup_kib >= 0)
        printf("cgroup_growth_kib=%lld\n", after.cgroup_kib - before.cgroup_kib);
    return EXIT_SUCCESS;
}
