/* A picture of the stacks' memory for the terminal.
 *
 * Threads whose stacks look the same share a line: a process of ten thousand threads
 * has a handful of pictures.
 */
#ifndef THPFIX_SHIM_CLI_STACK_MAP_H
#define THPFIX_SHIM_CLI_STACK_MAP_H

#include "shim/cli/inspection.h"

#include <stdbool.h>
#include <stddef.h>

#define STACK_MAP_CELLS 48

/* What a cell shows of the addresses it stands for: the first of these that is there. */
#define STACK_MAP_POINTER   '|' /* the stack pointer: what lies left of it is not in use */
#define STACK_MAP_HUGE      '#'
#define STACK_MAP_RESIDENT  '='
#define STACK_MAP_GUARD     'x'
#define STACK_MAP_UNTOUCHED '.'

struct stack_pages {
    const unsigned char *resident; /* one a page, from the base on */
    const unsigned char *huge;     /* likewise */
    size_t count;
    size_t page_bytes;
};

/* Draws one stack, from the lowest address on. Pure. */
void stack_map_draw(const struct process_stack *stack, const struct stack_pages *pages,
                    char ret_cells[STACK_MAP_CELLS + 1]);

/* Prints a drawn stack to stdout. */
void stack_map_print_cells(const char *cells, bool colour);

/* Prints the pictures, most threads first, at most most of them (0: all), 80 columns wide.
 * 0 or -errno. */
int stack_map_print(const struct inspection *inspection, bool colour, size_t most);

/* Is colour wanted on stdout? when: "always", "never", or "auto": a terminal, and no
 * NO_COLOR. -EINVAL for another word. */
int stack_map_colour(const char *when);

#endif
