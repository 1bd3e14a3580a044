/* bounds_sum PID FILE: as raw_sum, of a stopped process that is on a kernel which merges stacks
 * with what lies beside them. FILE has the bounds of its stacks, "TID BASE END" (hexadecimal) a
 * line, of a thread id that was used again the last. A mapping of stacks only counts as smaps has
 * it; of any other, the kernel is asked page by page (PAGEMAP_SCAN, Linux 6.7; 77 without it).
 * Prints "THREADS RESIDENT_BYTES HUGE_BYTES ALL_RESIDENT_BYTES ALL_HUGE_BYTES MERGED_MAPPINGS".
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { STACKS_MAX = 20000, RANGES = 256, EXIT_SKIP = 77 };

static struct stack {
    unsigned long tid, base, end;
} stacks[STACKS_MAX];
static size_t stack_count;

/* Of linux/fs.h, which older headers have not got. */
struct page_range {
    uint64_t start, end, categories;
};
struct scan_request {
    uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
    uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
};
#define SCAN_PAGES    _IOWR('f', 16, struct scan_request)
#define PAGE_PRESENT  ((uint64_t)1 << 3)
#define PAGE_ZERO     ((uint64_t)1 << 5) /* what was only read: smaps does not count it */
#define PAGE_PMD_HUGE ((uint64_t)1 << 6)

static FILE *open_file(const char *path)
{
    FILE *file = fopen(path, "re");

    if (!file) {
        perror(path);
        exit(1);
    }
    return file;
}

static void read_stacks(const char *pid, const char *path)
{
    struct stack stack;
    FILE *file = open_file(path);

    while (fscanf(file, "%lu %lx %lx", &stack.tid, &stack.base, &stack.end) == 3) {
        char task[64];
        size_t i = 0;

        snprintf(task, sizeof(task), "/proc/%.20s/task/%lu", pid, stack.tid);
        if (access(task, F_OK) != 0)
            continue;
        while (i < stack_count && stacks[i].tid != stack.tid)
            i++;
        if (i == STACKS_MAX) {
            fprintf(stderr, "more than %d threads\n", STACKS_MAX);
            exit(1);
        }
        stacks[i] = stack;
        stack_count += i == stack_count;
    }
    fclose(file);
}

static int compare_stacks(const void *left, const void *right)
{
    const struct stack *a = left, *b = right;
    return (a->base > b->base) - (a->base < b->base);
}

/* The bytes of these categories between two addresses. */
static unsigned long scan_pages(int pagemap, unsigned long start, unsigned long end,
                                uint64_t categories)
{
    struct page_range ranges[RANGES];
    unsigned long bytes = 0;

    while (start < end) {
        struct scan_request request = {.size = sizeof(request),
                                       .start = start,
                                       .end = end,
                                       .vec = (uint64_t)(uintptr_t)ranges,
                                       .vec_len = RANGES,
                                       .category_inverted = PAGE_ZERO,
                                       .category_mask = categories | PAGE_ZERO,
                                       .return_mask = categories};
        int count = ioctl(pagemap, SCAN_PAGES, &request);
        if (count < 0) {
            fprintf(stderr, "PAGEMAP_SCAN: %s\n", strerror(errno));
            exit(errno == ENOTTY || errno == EINVAL ? EXIT_SKIP : 1);
        }
        for (int i = 0; i < count; i++)
            bytes += ranges[i].end - ranges[i].start;
        start = request.walk_end;
    }
    return bytes;
}

struct mapping {
    unsigned long start, end, resident, huge;
};

static unsigned long resident, huge, all_resident, all_huge, merged;

/* The part of the stack that is in the mapping. False: none. */
static bool overlap(const struct stack *stack, const struct mapping *mapping,
                    unsigned long *ret_start, unsigned long *ret_end)
{
    *ret_start = stack->base > mapping->start ? stack->base : mapping->start;
    *ret_end = stack->end < mapping->end ? stack->end : mapping->end;
    return *ret_start < *ret_end;
}

/* Adds what of the mapping is in stacks. */
static void add(int pagemap, const struct mapping *mapping)
{
    unsigned long start, end, covered = 0;

    for (size_t i = 0; i < stack_count; i++)
        covered += overlap(&stacks[i], mapping, &start, &end) ? end - start : 0;
    all_resident += mapping->resident;
    all_huge += mapping->huge;
    if (covered == mapping->end - mapping->start) {
        resident += mapping->resident;
        huge += mapping->huge;
        return;
    }
    merged += covered != 0;
    for (size_t i = 0; covered != 0 && i < stack_count; i++) {
        if (overlap(&stacks[i], mapping, &start, &end)) {
            resident += scan_pages(pagemap, start, end, PAGE_PRESENT);
            huge += scan_pages(pagemap, start, end, PAGE_PMD_HUGE);
        }
    }
}

int main(int argc, char **argv)
{
    char line[4096];
    struct mapping mapping = {0};
    unsigned long kib;

    if (argc != 3)
        return 2;
    read_stacks(argv[1], argv[2]);
    qsort(stacks, stack_count, sizeof(*stacks), compare_stacks);
    for (size_t i = 1; i < stack_count; i++) {
        if (stacks[i].base < stacks[i - 1].end) {
            fprintf(stderr, "%lu and %lu: stacks overlap\n", stacks[i - 1].tid, stacks[i].tid);
            return 1;
        }
    }
    snprintf(line, sizeof(line), "/proc/%.20s/pagemap", argv[1]);
    int pagemap = open(line, O_RDONLY | O_CLOEXEC);
    snprintf(line, sizeof(line), "/proc/%.20s/smaps", argv[1]);
    FILE *smaps = open_file(line);
    while (fgets(line, sizeof(line), smaps)) {
        unsigned long start, end;
        if (sscanf(line, "%lx-%lx ", &start, &end) == 2) {
            add(pagemap, &mapping);
            mapping = (struct mapping){start, end, 0, 0};
        } else if (sscanf(line, "Rss: %lu kB", &kib) == 1) {
            mapping.resident = kib * 1024;
        } else if (sscanf(line, "AnonHugePages: %lu kB", &kib) == 1) {
            mapping.huge = kib * 1024;
        }
    }
    add(pagemap, &mapping);
    fclose(smaps);
    close(pagemap);
    printf("%zu %lu %lu %lu %lu %lu\n", stack_count, resident, huge, all_resident, all_huge,
           merged);
    return 0;
}
