#include "detect/process_arenas.h"
#include "detect/process_memory.h"

bool process_arena_proven(const uint64_t words[ARENA_WORDS], uint64_t address, uint64_t end)
{
    uint64_t arena = words[0], before = words[1], used = words[2], writable = words[3];
    /* The arena itself lies at the start of its first heap, behind these words. */
    bool has_arena = arena != 0 && arena % ARENA_HEAP_BYTES < 4096;
    bool is_first = before == 0 && arena / ARENA_HEAP_BYTES == address / ARENA_HEAP_BYTES;
    bool is_later = before != 0 && before % ARENA_HEAP_BYTES == 0;
    return address % ARENA_HEAP_BYTES == 0 && has_arena && (is_first || is_later) && used != 0 &&
           used % 4096 == 0 && used <= writable && writable % 4096 == 0 &&
           writable <= ARENA_HEAP_BYTES && writable <= end - address;
}

/* A mapping of heaps only: neighbours that are full have been merged by the kernel. */
static bool holds_heaps_only(pid_t pid, const struct process_pages *pages,
                             const struct memory_map *map)
{
    uint64_t address = map->start, words[ARENA_WORDS], resident;
    while (address < map->end) {
        if (process_pages_resident(pages, address, address + 1, &resident) != 0 || resident == 0 ||
            process_memory_read(pid, address, words, sizeof(words)) != 0 ||
            !process_arena_proven(words, address, map->end)) {
            return false;
        }
        if (words[3] != ARENA_HEAP_BYTES) {
            return address + words[3] == map->end;
        }
        address += ARENA_HEAP_BYTES;
    }
    return true;
}

void process_find_arenas(pid_t pid, const struct process_pages *pages, struct process_maps *maps)
{
    for (size_t i = 0; pages != NULL && i < maps->count; i++) {
        struct memory_map *map = &maps->maps[i];
        if (map->kind != MEMORY_ANONYMOUS || !map->writable || map->start % ARENA_HEAP_BYTES != 0 ||
            !holds_heaps_only(pid, pages, map)) {
            continue;
        }
        process_maps_set_kind(maps, map, MEMORY_ARENAS);
        if (i + 1 == maps->count) {
            break;
        }
        struct memory_map *reserve = &maps->maps[i + 1];
        if (reserve->start == map->end && !reserve->readable && reserve->kind == MEMORY_ANONYMOUS &&
            reserve->end % ARENA_HEAP_BYTES == 0 &&
            reserve->end - reserve->start < ARENA_HEAP_BYTES) {
            process_maps_set_kind(maps, reserve, MEMORY_ARENAS);
        }
    }
}
