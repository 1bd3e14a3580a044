#include "detect/process_stacks_sum.h"
#include "detect/units.h"

static uint64_t lower(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t higher(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void note_exempt(struct process_stack *stack, const struct memory_map *map)
{
    if (map->writable) {
        stack->exempt = stack->exempt && map->exempt;
        stack->exempt_known = stack->exempt_known && map->exempt_known;
    }
}

/* A mapping that lies in the stack with all of it. */
static void add_whole(struct process_stack *stack, struct process_maps *maps,
                      struct memory_map *map)
{
    stack->rss_bytes += map->rss_bytes;
    stack->huge_bytes += map->huge_bytes;
    if (stack->origin != STACK_KERNEL) {
        process_maps_set_kind(maps, map, MEMORY_THREAD_STACKS);
    }
}

bool process_huge_is_where_full(const struct memory_map *map, const struct process_pages *pages,
                                size_t thp_bytes)
{
    uintptr_t first;
    uint64_t last = align_down(map->end, thp_bytes), full = 0;
    return align_up((uintptr_t)map->start, thp_bytes, &first) && first < last &&
           process_pages_full_blocks(pages, first, last, thp_bytes, NULL, &full) == 0 &&
           full == map->huge_bytes;
}

/* The part of a stack in a mapping that holds other things too. */
static void add_part(struct process_stack *stack, const struct memory_map *map,
                     const struct process_pages *pages, size_t thp_bytes, bool huge_told)
{
    uint64_t start = higher(stack->base, map->start), end = lower(stack->end, map->end);
    uint64_t bytes = 0;
    stack->merged = true;
    if (map->rss_bytes != 0) {
        if (pages != NULL && process_pages_resident(pages, start, end, &bytes) == 0) {
            stack->rss_bytes += bytes;
        } else {
            stack->rss_known = false;
        }
    }
    if (map->huge_bytes == 0) {
        return;
    }
    uintptr_t first;
    uint64_t last = align_down(map->end, thp_bytes);
    if (!huge_told || !align_up((uintptr_t)map->start, thp_bytes, &first)) {
        stack->huge_known = false;
        return;
    }
    start = higher(start, first);
    end = lower(end, last);
    bytes = 0;
    if (start < end && process_pages_full_blocks(pages, start, end, thp_bytes, NULL, &bytes) != 0) {
        stack->huge_known = false;
        return;
    }
    stack->huge_bytes += bytes;
}

/* The stacks with a part in one mapping, from the first on. */
struct sharers {
    struct process_stack **stacks;
    size_t count;
};

/* Moves the stacks' part of a mapping's sums to the kind of stacks. The mapping as such,
 * when it is no stack throughout, stays with its kind; so do bytes that are not told. */
static void move_sums(struct process_maps *maps, struct memory_map *map, uint64_t covered,
                      const struct memory_sum *part)
{
    if (covered == map->end - map->start) {
        process_maps_set_kind(maps, map, MEMORY_THREAD_STACKS);
        return;
    }
    struct memory_sum *from = &maps->kinds[map->kind], *to = &maps->kinds[MEMORY_THREAD_STACKS];
    uint64_t rss = lower(part->rss_bytes, map->rss_bytes);
    uint64_t huge = lower(part->huge_bytes, map->huge_bytes);
    from->size_bytes -= covered;
    to->size_bytes += covered;
    from->rss_bytes -= rss;
    to->rss_bytes += rss;
    from->huge_bytes -= huge;
    to->huge_bytes += huge;
}

static void sum_shared(struct process_maps *maps, struct memory_map *map,
                       const struct sharers *sharers, const struct process_pages *pages,
                       size_t thp_bytes)
{
    bool huge_told =
        map->huge_bytes != 0 && pages != NULL && process_huge_is_where_full(map, pages, thp_bytes);
    uint64_t covered = 0;
    struct memory_sum part = {0};
    for (size_t i = 0; i < sharers->count; i++) {
        struct process_stack *stack = sharers->stacks[i];
        uint64_t rss = stack->rss_bytes, huge = stack->huge_bytes;
        add_part(stack, map, pages, thp_bytes, huge_told);
        note_exempt(stack, map);
        covered += lower(stack->end, map->end) - higher(stack->base, map->start);
        part.rss_bytes += stack->rss_bytes - rss;
        part.huge_bytes += stack->huge_bytes - huge;
    }
    move_sums(maps, map, covered, &part);
}

void process_stacks_sum(struct process_stack **stacks, size_t count, struct process_maps *maps,
                        const struct process_pages *pages, size_t thp_bytes)
{
    for (size_t i = 0; i < count; i++) {
        stacks[i]->rss_known = stacks[i]->huge_known = true;
        stacks[i]->exempt = stacks[i]->exempt_known = true;
    }
    size_t first = 0;
    for (size_t i = 0; i < maps->count && first < count; i++) {
        struct memory_map *map = &maps->maps[i];
        while (first < count && stacks[first]->end <= map->start) {
            first++;
        }
        struct sharers sharers = {stacks + first, 0};
        while (first + sharers.count < count && stacks[first + sharers.count]->base < map->end) {
            sharers.count++;
        }
        if (sharers.count == 0) {
            continue;
        }
        struct process_stack *stack = stacks[first];
        if (sharers.count == 1 && stack->base <= map->start && stack->end >= map->end) {
            add_whole(stack, maps, map);
            note_exempt(stack, map);
        } else {
            sum_shared(maps, map, &sharers, pages, thp_bytes);
        }
    }
}
