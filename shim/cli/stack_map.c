#include "shim/cli/stack_map.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char ranks[] = {STACK_MAP_UNTOUCHED, STACK_MAP_GUARD,   STACK_MAP_RESIDENT,
                             STACK_MAP_HUGE,      STACK_MAP_POINTER, '\0'};

/* A cell shows what ranks highest among its pages. */
static void show(char *cell, char what)
{
    if (strchr(ranks, what) > strchr(ranks, *cell)) {
        *cell = what;
    }
}

void stack_map_draw(const struct process_stack *stack, const struct stack_pages *pages,
                    char ret_cells[STACK_MAP_CELLS + 1])
{
    uint64_t size = stack->end - stack->base;
    memset(ret_cells, STACK_MAP_UNTOUCHED, STACK_MAP_CELLS);
    ret_cells[STACK_MAP_CELLS] = '\0';
    if (size == 0) {
        return;
    }
    for (size_t i = 0; i < pages->count; i++) {
        uint64_t offset = i * (uint64_t)pages->page_bytes;
        if (offset >= size) {
            break;
        }
        /* A page may be larger than a cell. */
        uint64_t last = (offset + pages->page_bytes - 1) * STACK_MAP_CELLS / size;
        for (uint64_t at = offset * STACK_MAP_CELLS / size; at <= last && at < STACK_MAP_CELLS;
             at++) {
            char what = STACK_MAP_UNTOUCHED;
            if (pages->huge[i]) {
                what = STACK_MAP_HUGE;
            } else if (offset < stack->guard_bytes) {
                what = STACK_MAP_GUARD;
            } else if (pages->resident[i]) {
                what = STACK_MAP_RESIDENT;
            }
            show(&ret_cells[at], what);
        }
    }
    if (stack->depth == DEPTH_TOLD) {
        show(&ret_cells[(stack->pointer - stack->base) * STACK_MAP_CELLS / size],
             STACK_MAP_POINTER);
    }
}

int stack_map_colour(const char *when)
{
    if (strcmp(when, "auto") == 0) {
        const char *off = getenv("NO_COLOR"), *terminal = getenv("TERM");
        bool dumb = terminal == NULL || strcmp(terminal, "dumb") == 0;
        return isatty(STDOUT_FILENO) && (off == NULL || off[0] == '\0') && !dumb;
    }
    if (strcmp(when, "always") == 0) {
        return 1;
    }
    return strcmp(when, "never") == 0 ? 0 : -EINVAL;
}

static const char *colour_of(char what)
{
    switch (what) {
    case STACK_MAP_HUGE:
        return "\033[1;35m";
    case STACK_MAP_RESIDENT:
        return "\033[32m";
    case STACK_MAP_GUARD:
        return "\033[31m";
    case STACK_MAP_POINTER:
        return "\033[1m";
    default:
        return "\033[2m";
    }
}

void stack_map_print_cells(const char *cells, bool colour)
{
    char before = '\0';
    for (; *cells != '\0'; cells++) {
        if (colour && *cells != before) {
            (void)fputs("\033[0m", stdout);
            (void)fputs(colour_of(*cells), stdout);
        }
        before = *cells;
        (void)putchar(*cells);
    }
    if (colour) {
        (void)fputs("\033[0m", stdout);
    }
}
