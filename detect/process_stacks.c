#include "detect/process_stacks.h"
#include "detect/own_memory.h"
#include "detect/process_stacks_sum.h"
#include "detect/units.h"

#include <errno.h>
#include <stdlib.h>

#define RED_ZONE_BYTES 128

const char *process_stack_origin_word(enum stack_origin origin)
{
    switch (origin) {
#define STACK_ORIGIN_CASE(name, word)                                                              \
    case STACK_##name:                                                                             \
        return word;
        STACK_ORIGINS(STACK_ORIGIN_CASE)
#undef STACK_ORIGIN_CASE
    }
    return "unknown";
}

/* *next: where it is if both lists are alike, as they mostly are. */
static const struct glibc_thread *find_thread(const struct glibc_threads *threads, pid_t tid,
                                              size_t *next)
{
    size_t low = 0, high = threads->count;
    if (*next < high && threads->threads[*next].tid == tid) {
        return &threads->threads[(*next)++];
    }
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (threads->threads[middle].tid == tid) {
            *next = middle + 1;
            return &threads->threads[middle];
        }
        if (threads->threads[middle].tid < tid) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

/* Is all of it private anonymous memory, without a hole? A descriptor can be read while
 * its thread ends and another begins. i: the first mapping that ends above base. */
static bool is_mapped(const struct process_maps *maps, size_t i, uint64_t base, uint64_t end)
{
    uint64_t at = base;
    for (; i < maps->count && at < end; i++) {
        if (maps->maps[i].start > at) {
            return false;
        }
        at = maps->maps[i].end;
    }
    return at >= end;
}

static void match_first(const struct process_maps *maps, struct process_stack *stack)
{
    for (size_t i = maps->count; i-- > 0;) {
        if (maps->maps[i].kind == MEMORY_MAIN_STACK) {
            stack->origin = STACK_KERNEL;
            stack->base = maps->maps[i].start;
            stack->end = maps->maps[i].end;
            return;
        }
    }
}

static void match(const struct glibc_thread *thread, struct process_stack *stack)
{
    if (thread == NULL || thread->base == 0) {
        return;
    }
    stack->origin = thread->callers_stack ? STACK_CALLER : STACK_GLIBC;
    stack->base = thread->base;
    stack->end = thread->end;
    stack->guard_bytes = thread->guard_bytes;
    stack->guarded_first = thread->guard_bytes != 0;
}

/* HotSpot makes guard zones of its own at the low end, next to glibc's guard if there is
 * one; a guard of glibc 2.42 has no mapping of its own. i: as above. */
static void measure_guard(const struct process_maps *maps, size_t i, struct process_stack *stack)
{
    uint64_t at = stack->base;
    for (; i < maps->count && maps->maps[i].start <= at && !maps->maps[i].readable &&
           !maps->maps[i].writable && at < stack->end;
         i++) {
        at = maps->maps[i].end < stack->end ? maps->maps[i].end : stack->end;
    }
    if (at - stack->base > stack->guard_bytes) {
        stack->guard_bytes = at - stack->base;
    }
}

static int compare_bases(const void *left, const void *right)
{
    const struct process_stack *a = *(struct process_stack *const *)left;
    const struct process_stack *b = *(struct process_stack *const *)right;
    return (a->base > b->base) - (a->base < b->base);
}

/* Those that were told, by address. Later threads tend to lie lower: turned round, it is
 * mostly sorted already. */
static size_t order(struct process_stacks *stacks, struct process_stack **ret_ordered)
{
    size_t count = 0;
    bool is_sorted = true;
    for (size_t i = stacks->count; i-- > 0;) {
        if (stacks->stacks[i].origin != STACK_UNTOLD) {
            ret_ordered[count++] = &stacks->stacks[i];
            is_sorted &= count < 2 || ret_ordered[count - 2]->base <= ret_ordered[count - 1]->base;
        }
    }
    if (!is_sorted) {
        qsort(ret_ordered, count, sizeof(struct process_stack *), compare_bases);
    }
    return count;
}

/* Keeps those that are still told. */
static size_t settle(struct process_stack **ordered, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (ordered[i]->origin != STACK_UNTOLD) {
            ordered[kept++] = ordered[i];
        } else {
            *ordered[i] = (struct process_stack){.tid = ordered[i]->tid};
        }
    }
    return kept;
}

/* Leaves those that their mappings bear out. Two that overlap were not read at one moment:
 * neither is believed. */
static size_t prove(const struct process_maps *maps, struct process_stack **ordered, size_t count)
{
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        struct process_stack *stack = ordered[i];
        for (; at < maps->count && maps->maps[at].end <= stack->base; at++) {
        }
        if (is_mapped(maps, at, stack->base, stack->end)) {
            measure_guard(maps, at, stack);
        } else {
            stack->origin = STACK_UNTOLD;
        }
    }
    count = settle(ordered, count);
    for (size_t i = 1; i < count; i++) {
        if (ordered[i]->base < ordered[i - 1]->end) {
            ordered[i]->origin = ordered[i - 1]->origin = STACK_UNTOLD;
        }
    }
    return settle(ordered, count);
}

int process_stacks_match(pid_t pid, const pid_t *tids, const pid_t *inner_ids, size_t count,
                         const struct glibc_threads *threads, struct process_maps *maps,
                         const struct process_pages *pages, size_t thp_bytes,
                         struct process_stacks *ret_stacks)
{
    struct process_stacks stacks = {own_memory_zeros(count + 1, sizeof(*stacks.stacks)), count};
    struct process_stack **ordered = own_memory_zeros(count + 1, sizeof(struct process_stack *));
    if (stacks.stacks == NULL || ordered == NULL) {
        free(stacks.stacks);
        free(ordered);
        return -ENOMEM;
    }
    size_t next = 0;
    for (size_t i = 0; i < count; i++) {
        struct process_stack *stack = &stacks.stacks[i];
        stack->tid = tids[i];
        if (tids[i] == pid) {
            match_first(maps, stack);
        } else {
            match(find_thread(threads, inner_ids != NULL ? inner_ids[i] : tids[i], &next), stack);
        }
    }
    size_t proven = prove(maps, ordered, order(&stacks, ordered));
    process_stacks_sum(ordered, proven, maps, pages, thp_bytes);
    free(ordered);
    *ret_stacks = stacks;
    return 0;
}

void process_stacks_free(struct process_stacks *stacks)
{
    free(stacks->stacks);
    *stacks = (struct process_stacks){0};
}

void process_stack_set_pointer(struct process_stack *stack, int result, uint64_t pointer,
                               const struct process_maps *maps)
{
    if (result != 0) {
        stack->depth = result == -EBUSY ? DEPTH_RUNNING : DEPTH_FAILED;
        return;
    }
    stack->pointer = pointer;
    if (stack->origin == STACK_UNTOLD) {
        size_t at = process_maps_at(maps, pointer);
        if (at < maps->count && maps->maps[at].start <= pointer) {
            stack->base = maps->maps[at].start;
            stack->end = maps->maps[at].end;
        }
        stack->depth = DEPTH_ELSEWHERE;
    } else if (pointer < stack->base || pointer >= stack->end) {
        stack->depth = DEPTH_ELSEWHERE;
    } else {
        stack->depth = DEPTH_TOLD;
        stack->used_bytes = stack->end - pointer;
    }
}

bool process_stack_suspect(const struct process_stack *stack, size_t thp_bytes)
{
    bool huge = !stack->huge_known || stack->huge_bytes > 0;
    bool exempt = stack->exempt_known && stack->exempt;
    /* Less than this is no part of a huge page worth a look; glibc's descriptor, static TLS
     * and first frames take as much by themselves. */
    bool large = !stack->rss_known || stack->rss_bytes > thp_bytes / 8;
    return stack->origin != STACK_UNTOLD && stack->origin != STACK_KERNEL &&
           (huge || (large && !exempt));
}

void process_stack_judge(struct process_stack *stack, const struct process_pages *pages,
                         size_t thp_bytes)
{
    if (!process_stack_suspect(stack, thp_bytes)) {
        stack->back_known = stack->origin != STACK_UNTOLD;
        return;
    }
    if (stack->depth != DEPTH_TOLD || pages == NULL) {
        return;
    }
    /* The x86-64 ABI lets a function use that much below its stack pointer. */
    uint64_t live = align_down(stack->pointer - RED_ZONE_BYTES, pages->page_bytes), bytes = 0;
    uint64_t start = stack->base + stack->guard_bytes;
    struct pages_hole hole = {stack->base, stack->guarded_first ? stack->base : start};
    if (live <= start ||
        process_pages_full_blocks(pages, start, live, thp_bytes, &hole, &bytes) == 0) {
        stack->back_bytes = bytes;
        stack->back_known = true;
    }
}
