#include "measure.h"
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* linux/fs.h of Linux 6.7; the headers may be older. */
struct scan_region {
    uint64_t start, end, categories;
};

struct scan_arguments {
    uint64_t size, flags, start, end, walk_end, regions, region_count, max_pages;
    uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
};

#define SCAN_PAGEMAP  _IOWR('f', 16, struct scan_arguments)
#define PAGE_IS_HUGE_ (UINT64_C(1) << 6)

static FILE *open_or_die(const char *path)
{
    FILE *file = fopen(path, "re");

    if (!file) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        exit(EXIT_FAILURE);
    }
    return file;
}

/* The number behind the first word of the line that begins with name. */
static long long read_field(const char *path, const char *name)
{
    char line[512];
    long long value = -1;
    FILE *file = fopen(path, "re");

    if (!file)
        return -1;
    while (value < 0 && fgets(line, sizeof(line), file)) {
        if (!strncmp(line, name, strlen(name)))
            value = strtoll(line + strlen(name), NULL, 10);
    }
    fclose(file);
    return value;
}

long long measure_read_number(const char *path)
{
    return read_field(path, "");
}

/* The path of this process's cgroup: the v1 hierarchy with the memory controller, else v2. */
static bool cgroup_directory(char *path, size_t size, bool *ret_v2)
{
    char line[512];
    FILE *file = fopen("/proc/self/cgroup", "re");
    bool found = false;

    if (!file)
        return false;
    while (!found && fgets(line, sizeof(line), file)) {
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':');
        char *directory = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!directory)
            continue;
        *directory++ = '\0';
        *ret_v2 = !strcmp(line, "0:");
        found = *ret_v2 || !strcmp(controllers, ":memory");
        snprintf(path, size, "/sys/fs/cgroup%s%s", *ret_v2 ? "" : "/memory", directory);
    }
    fclose(file);
    return found;
}

static long long cgroup_user_kib(void)
{
    char directory[512], path[600];
    bool v2;

    if (!cgroup_directory(directory, sizeof(directory), &v2))
        return -1;
    snprintf(path, sizeof(path), "%s/%s", directory,
             v2 ? "memory.current" : "memory.usage_in_bytes");
    long long all = measure_read_number(path);
    snprintf(path, sizeof(path), "%s/%s", directory,
             v2 ? "memory.stat" : "memory.kmem.usage_in_bytes");
    long long kernel = read_field(path, v2 ? "kernel " : "");
    return all < 0 || kernel < 0 ? -1 : (all - kernel) / 1024;
}

static long long count_map_entries(void)
{
    char line[512];
    long long lines = 0;
    FILE *file = open_or_die("/proc/self/maps");

    while (fgets(line, sizeof(line), file))
        lines += strchr(line, '\n') != NULL;
    fclose(file);
    return lines;
}

void measure_memory(struct memory *ret_memory)
{
    ret_memory->machine_free_kib = read_field("/proc/meminfo", "MemFree:");
    ret_memory->cgroup_kib = cgroup_user_kib();
    ret_memory->map_entries = count_map_entries();
    ret_memory->rss_kib = read_field("/proc/self/smaps_rollup", "Rss:");
    ret_memory->anon_huge_kib = read_field("/proc/self/smaps_rollup", "AnonHugePages:");
}

static int compare_addresses(const void *a, const void *b)
{
    uintptr_t left = *(const uintptr_t *)a, right = *(const uintptr_t *)b;

    return left < right ? -1 : left > right;
}

void measure_mappings(uintptr_t *addresses, size_t count, struct mappings *ret_mappings)
{
    unsigned long start, end;
    char line[512];
    size_t next = 0, here = 0; /* addresses passed; addresses in the current mapping */
    FILE *file = open_or_die("/proc/self/smaps");

    qsort(addresses, count, sizeof(*addresses), compare_addresses);
    *ret_mappings = (struct mappings){0};
    while (fgets(line, sizeof(line), file)) {
        if (sscanf(line, "%lx-%lx ", &start, &end) == 2) {
            size_t before = next;
            while (next < count && addresses[next] < end)
                next++;
            here = next - before;
        } else if (here && !strncmp(line, "Rss:", 4)) {
            ret_mappings->rss_kib += strtoll(line + 4, NULL, 10);
        } else if (here && !strncmp(line, "AnonHugePages:", 14)) {
            ret_mappings->anon_huge_kib += strtoll(line + 14, NULL, 10);
        } else if (here && !strncmp(line, "VmFlags:", 8) && strstr(line, " nh")) {
            ret_mappings->exempt += (long long)here;
        }
    }
    fclose(file);
}

long long measure_huge_kib(uintptr_t start, uintptr_t end)
{
    struct scan_region region;
    struct scan_arguments arguments = {
        .size = sizeof(arguments),
        .start = start,
        .end = end,
        .regions = (uintptr_t)&region,
        .region_count = 1,
        .category_mask = PAGE_IS_HUGE_,
        .return_mask = PAGE_IS_HUGE_,
    };
    uint64_t bytes = 0;
    int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    int regions;

    while ((regions = ioctl(fd, SCAN_PAGEMAP, &arguments)) > 0) {
        bytes += region.end - region.start;
        arguments.start = arguments.walk_end;
    }
    close(fd);
    return regions < 0 ? -1 : (long long)(bytes / 1024);
}
