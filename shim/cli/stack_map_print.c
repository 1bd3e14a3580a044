#include "detect/process_pages.h"
#include "detect/process_stacks_sum.h"
#include "detect/process_tasks.h"
#include "detect/root_read.h"
#include "detect/units.h"
#include "shim/cli/stack_map.h"
#include "shim/cli/text_size.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STACK_PAGES_MAX ((size_t)1 << 20) /* 4 GiB of 4 KiB pages: what is larger is left out */

struct picture {
    uint64_t size;
    char cells[STACK_MAP_CELLS + 1];
    size_t count;  /* threads whose stacks look like this */
    pid_t example; /* one of them */
};

struct drawing {
    const struct inspection *inspection;
    struct process_pages source;
    unsigned char *resident, *huge;
    size_t room;
    size_t told_map; /* the last mapping that was asked, and the answer */
    bool told;
};

static int make_room(struct drawing *drawing, size_t count)
{
    if (count <= drawing->room) {
        return 0;
    }
    unsigned char *resident = realloc(drawing->resident, count);
    drawing->resident = resident != NULL ? resident : drawing->resident;
    unsigned char *huge = realloc(drawing->huge, count);
    drawing->huge = huge != NULL ? huge : drawing->huge;
    if (resident == NULL || huge == NULL) {
        return -ENOMEM;
    }
    drawing->room = count;
    return 0;
}

static bool huge_is_told(struct drawing *drawing, size_t map)
{
    if (drawing->told_map != map) {
        drawing->told_map = map;
        drawing->told = process_huge_is_where_full(
            &drawing->inspection->maps.maps[map], &drawing->source, drawing->inspection->thp_bytes);
    }
    return drawing->told;
}

/* Marks the pages of the stack that lie in huge pages of its mappings, where told. */
static void mark_huge(struct drawing *drawing, const struct process_stack *stack, size_t count)
{
    const struct process_maps *maps = &drawing->inspection->maps;
    size_t thp = drawing->inspection->thp_bytes, page = drawing->inspection->page_bytes;
    memset(drawing->huge, 0, count);
    for (size_t i = process_maps_at(maps, stack->base);
         i < maps->count && maps->maps[i].start < stack->end; i++) {
        const struct memory_map *map = &maps->maps[i];
        uintptr_t block;
        if (map->huge_bytes == 0 || !huge_is_told(drawing, i) ||
            !align_up((uintptr_t)map->start, thp, &block)) {
            continue;
        }
        for (; block + thp <= map->end && block < stack->end; block += thp) {
            uint64_t full;
            if (block + thp <= stack->base ||
                process_pages_full_blocks(&drawing->source, block, block + thp, thp, NULL, &full) !=
                    0 ||
                full != thp) {
                continue;
            }
            for (uint64_t at = block; at < block + thp; at += page) {
                if (at >= stack->base && (at - stack->base) / page < count) {
                    drawing->huge[(at - stack->base) / page] = 1;
                }
            }
        }
    }
}

static int draw(struct drawing *drawing, const struct process_stack *stack,
                struct picture *ret_picture)
{
    size_t page = drawing->inspection->page_bytes;
    size_t count = (size_t)((stack->end - stack->base + page - 1) / page), at = 0;
    if (count > STACK_PAGES_MAX) {
        return -EFBIG;
    }
    int result = make_room(drawing, count);
    while (result == 0 && at < count) {
        ssize_t told = process_pages_read(&drawing->source, stack->base + at * page,
                                          drawing->resident + at, count - at);
        result = told < 0 ? (int)told : 0;
        at += told > 0 ? (size_t)told : 0;
    }
    if (result != 0) {
        return result;
    }
    mark_huge(drawing, stack, count);
    struct stack_pages pages = {drawing->resident, drawing->huge, count, page};
    ret_picture->size = stack->end - stack->base;
    ret_picture->count = 1;
    ret_picture->example = stack->tid;
    stack_map_draw(stack, &pages, ret_picture->cells);
    return 0;
}

static int compare_looks(const void *left, const void *right)
{
    const struct picture *a = left, *b = right;
    int result = (a->size > b->size) - (a->size < b->size);
    return result != 0 ? result : strcmp(a->cells, b->cells);
}

static int compare_counts(const void *left, const void *right)
{
    const struct picture *a = left, *b = right;
    int result = (a->count < b->count) - (a->count > b->count);
    return result != 0 ? result : compare_looks(left, right);
}

/* Those that look the same become one. */
static size_t unite(struct picture *pictures, size_t count)
{
    size_t kept = 0;
    qsort(pictures, count, sizeof(*pictures), compare_looks);
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && compare_looks(&pictures[kept - 1], &pictures[i]) == 0) {
            pictures[kept - 1].count++;
        } else {
            pictures[kept++] = pictures[i];
        }
    }
    qsort(pictures, kept, sizeof(*pictures), compare_counts);
    return kept;
}

static void print(const struct inspection *inspection, const struct picture *pictures, size_t count,
                  bool colour, size_t most)
{
    printf("%c guard  %c untouched  %c resident  %c huge page  %c stack pointer; lowest first\n\n"
           "%6s  %6s  %-*s  %s\n",
           STACK_MAP_GUARD, STACK_MAP_UNTOUCHED, STACK_MAP_RESIDENT, STACK_MAP_HUGE,
           STACK_MAP_POINTER, "STACKS", "SIZE", STACK_MAP_CELLS, "MEMORY", "ONE OF THEM");
    size_t shown = most != 0 && most < count ? most : count;
    for (size_t i = 0; i < shown; i++) {
        char size[TEXT_SIZE_BYTES], name[PROCESS_TASK_NAME_BYTES];
        text_size(pictures[i].size, size);
        process_task_name(ROOT_HOST, inspection->identity.pid, pictures[i].example, name);
        printf("%6zu  %6s  ", pictures[i].count, size);
        stack_map_print_cells(pictures[i].cells, colour);
        printf("  %.14s\n", name);
    }
    if (shown < count) {
        printf("and %zu pictures more: --top 0 shows all\n", count - shown);
    }
}

int stack_map_print(const struct inspection *inspection, bool colour, size_t most)
{
    struct drawing drawing = {.inspection = inspection, .told_map = SIZE_MAX};
    struct picture *pictures = calloc(inspection->stacks.count + 1, sizeof(*pictures));
    size_t count = 0;
    int result = pictures == NULL ? -ENOMEM : 0;
    if (result == 0) {
        result = process_pages_open(ROOT_HOST, inspection->identity.memory_tid,
                                    inspection->page_bytes, &drawing.source);
    }
    if (result != 0) {
        free(pictures);
        return result;
    }
    for (size_t i = 0; i < inspection->stacks.count && result != -ENOMEM; i++) {
        if (inspection->stacks.stacks[i].origin != STACK_UNTOLD) {
            result = draw(&drawing, &inspection->stacks.stacks[i], &pictures[count]);
            count += result == 0;
        }
    }
    process_pages_close(&drawing.source);
    free(drawing.resident);
    free(drawing.huge);
    if (result != -ENOMEM && result != -ESRCH) {
        print(inspection, pictures, unite(pictures, count), colour, most);
        result = 0;
    }
    free(pictures);
    return result;
}
