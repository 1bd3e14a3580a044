#include "detect/process_kinds.h"
#include "detect/own_memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

enum memory_kind memory_kind_of(const struct smaps_mapping *mapping)
{
    const char *name = mapping->name;
    if (name[0] == '\0' && !mapping->shared) { /* most of them */
        return mapping->inode == 0 ? MEMORY_ANONYMOUS : MEMORY_FILES;
    }
    if (mapping->shared || begins(name, "/dev/shm/") || begins(name, "/memfd:") ||
        begins(name, "/SYSV") || begins(name, "/dev/zero") || begins(name, "[anon_shmem:")) {
        /* A file mapped for sharing is a file all the same. */
        bool is_file = mapping->shared && name[0] == '/' && !begins(name, "/dev/") &&
                       !begins(name, "/memfd:") && !begins(name, "/SYSV");
        return is_file ? MEMORY_FILES : MEMORY_SHARED;
    }
    if (strcmp(name, "[heap]") == 0) {
        return MEMORY_MAIN_HEAP;
    }
    if (strcmp(name, "[stack]") == 0) {
        return MEMORY_MAIN_STACK;
    }
    /* Up to Linux 4.4 the kernel names the stack of the thread TID "[stack:TID]". */
    if (begins(name, "[anon:") || begins(name, "[stack:")) {
        return mapping->inode == 0 ? MEMORY_ANONYMOUS : MEMORY_FILES;
    }
    return name[0] == '[' ? MEMORY_KERNEL : MEMORY_FILES;
}

static void add_to(struct memory_sum *sum, const struct memory_map *map)
{
    sum->mappings++;
    sum->size_bytes += map->end - map->start;
    sum->rss_bytes += map->rss_bytes;
    sum->huge_bytes += map->huge_bytes;
    sum->swap_bytes += map->swap_bytes;
}

static void take_from(struct memory_sum *sum, const struct memory_map *map)
{
    sum->mappings--;
    sum->size_bytes -= map->end - map->start;
    sum->rss_bytes -= map->rss_bytes;
    sum->huge_bytes -= map->huge_bytes;
    sum->swap_bytes -= map->swap_bytes;
}

int process_maps_add(const struct smaps_mapping *mapping, void *context)
{
    struct process_maps *maps = context;
    enum memory_kind kind = memory_kind_of(mapping);
    struct memory_map map = {
        .start = mapping->start,
        .end = mapping->end,
        .rss_bytes = mapping->rss_bytes,
        .huge_bytes = mapping->anon_huge_bytes,
        .swap_bytes = mapping->swap_bytes,
        .kind = kind & 0xffU,
        .readable = mapping->readable,
        .writable = mapping->writable,
        .exempt = mapping->no_huge_page,
        .exempt_known = mapping->has_vm_flags,
    };
    add_to(&maps->kinds[kind], &map);
    add_to(&maps->total, &map);
    if (kind != MEMORY_ANONYMOUS && kind != MEMORY_MAIN_STACK && kind != MEMORY_MAIN_HEAP) {
        return 0;
    }
    /* A list that was changed while it was told can go back; the order is what others rest on. */
    if (maps->count > 0 && map.start < maps->maps[maps->count - 1].end) {
        return 0;
    }
    if (maps->count == maps->room) {
        struct memory_map *more = own_memory_grow(maps->maps, &maps->room, 256, sizeof(*more));
        if (more == NULL) {
            return -ENOMEM;
        }
        maps->maps = more;
    }
    maps->maps[maps->count++] = map;
    return 0;
}

void process_maps_free(struct process_maps *maps)
{
    free(maps->maps);
    *maps = (struct process_maps){0};
}

void process_maps_set_kind(struct process_maps *maps, struct memory_map *map, enum memory_kind kind)
{
    take_from(&maps->kinds[map->kind], map);
    map->kind = kind & 0xffU;
    add_to(&maps->kinds[map->kind], map);
}

size_t process_maps_at(const struct process_maps *maps, uint64_t address)
{
    size_t low = 0, high = maps->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (maps->maps[middle].end > address) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}
