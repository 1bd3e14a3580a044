#include "detect/root_read.h"
#include "shim/cli/inspect.h"
#include "shim/cli/text_size.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct table_column thread_columns[THREAD_COLUMN_COUNT] = {
    [THREAD_TID] = {"TID", "thread id", true},
    [THREAD_NAME] = {"NAME", "name of the thread", false},
    [THREAD_SIZE] = {"SIZE", "size of its stack, guard included", true},
    [THREAD_RESIDENT] = {"RESIDENT", "memory the stack takes", true},
    [THREAD_HUGE] = {"HUGE", "of that, in huge pages", true},
    [THREAD_USED] = {"USED", "depth now: from the stack pointer to the end", true},
    [THREAD_GUARD] = {"GUARD", "guard at the low end, with the zones that HotSpot adds", true},
    [THREAD_EXEMPT] = {"EXEMPT", "the kernel keeps huge pages away (nh in smaps)", false},
    [THREAD_BACK] = {"BACK", "would return: resident like a huge page, and not used", true},
    [THREAD_ORIGIN] = {"ORIGIN", "who made the stack: glibc, caller, kernel, unknown", false},
    [THREAD_MERGED] = {"MERGED", "the stack shares its mapping with something else", false},
    [THREAD_BASE] = {"BASE", "lowest address; of an unknown stack, of its mapping", true},
    [THREAD_END] = {"END", "first address above", true},
};

static uint64_t number_of(const struct process_stack *stack, enum thread_column column)
{
    switch (column) {
    case THREAD_SIZE:
        return stack->origin != STACK_UNTOLD ? stack->end - stack->base : 0;
    case THREAD_RESIDENT:
        return stack->rss_bytes;
    case THREAD_HUGE:
        return stack->huge_bytes;
    case THREAD_USED:
        return stack->used_bytes;
    case THREAD_GUARD:
        return stack->guard_bytes;
    case THREAD_EXEMPT:
        return stack->exempt;
    case THREAD_ORIGIN:
        return (uint64_t)stack->origin;
    case THREAD_MERGED:
        return stack->merged;
    case THREAD_BASE:
        return stack->base;
    case THREAD_END:
        return stack->end;
    default:
        return stack->back_bytes;
    }
}

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare(const void *left, const void *right, void *context)
{
    const struct thread_row *a = left, *b = right;
    enum thread_column sort = *(const enum thread_column *)context;
    int result = 0;
    if (sort == THREAD_NAME) {
        result = strcmp(a->name, b->name);
    } else if (sort != THREAD_TID) {
        result = compare_numbers(number_of(b->stack, sort), number_of(a->stack, sort));
    }
    if (result == 0 && sort == THREAD_BACK) {
        result = compare_numbers(b->stack->rss_bytes, a->stack->rss_bytes);
    }
    return result != 0 ? result : (a->stack->tid > b->stack->tid) - (a->stack->tid < b->stack->tid);
}

struct thread_row *inspect_rows(const struct inspection *inspection, enum thread_column sort,
                                bool in_bytes)
{
    size_t count = inspection->stacks.count;
    struct thread_row *rows = calloc(count + 1, sizeof(*rows));
    if (rows == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        rows[i].stack = &inspection->stacks.stacks[i];
        rows[i].in_bytes = in_bytes;
        process_task_name(ROOT_HOST, inspection->identity.pid, rows[i].stack->tid, rows[i].name);
    }
    qsort_r(rows, count, sizeof(*rows), compare, &sort);
    return rows;
}

static void bytes_cell(const struct thread_row *row, uint64_t bytes, bool known, char *ret_text)
{
    if (!known) {
        (void)snprintf(ret_text, TABLE_CELL_BYTES, "-");
    } else if (row->in_bytes) {
        (void)snprintf(ret_text, TABLE_CELL_BYTES, "%llu", (unsigned long long)bytes);
    } else {
        text_size(bytes, ret_text);
    }
}

static void word_cell(bool known, bool yes, char *ret_text)
{
    (void)snprintf(ret_text, TABLE_CELL_BYTES, "%s", !known ? "-" : yes ? "yes" : "no");
}

void inspect_cell(const void *row_of_table, size_t column, char *ret_text)
{
    const struct thread_row *row = row_of_table;
    const struct process_stack *stack = row->stack;
    bool told = stack->origin != STACK_UNTOLD;
    switch ((enum thread_column)column) {
    case THREAD_TID:
        (void)snprintf(ret_text, TABLE_CELL_BYTES, "%d", (int)stack->tid);
        break;
    case THREAD_NAME:
        (void)snprintf(ret_text, TABLE_CELL_BYTES, "%s", row->name);
        break;
    case THREAD_SIZE:
    case THREAD_GUARD:
        bytes_cell(row, number_of(stack, (enum thread_column)column), told, ret_text);
        break;
    case THREAD_RESIDENT:
        bytes_cell(row, stack->rss_bytes, told && stack->rss_known, ret_text);
        break;
    case THREAD_HUGE:
        bytes_cell(row, stack->huge_bytes, told && stack->huge_known, ret_text);
        break;
    case THREAD_USED:
        bytes_cell(row, stack->used_bytes, stack->depth == DEPTH_TOLD, ret_text);
        break;
    case THREAD_BACK:
        bytes_cell(row, stack->back_bytes, told && stack->back_known, ret_text);
        break;
    case THREAD_EXEMPT:
        word_cell(told && stack->exempt_known, stack->exempt, ret_text);
        break;
    case THREAD_MERGED:
        word_cell(told, stack->merged, ret_text);
        break;
    case THREAD_ORIGIN:
        (void)snprintf(ret_text, TABLE_CELL_BYTES, "%s", process_stack_origin_word(stack->origin));
        break;
    case THREAD_BASE:
    case THREAD_END:
        if (stack->end == 0) {
            (void)snprintf(ret_text, TABLE_CELL_BYTES, "-");
        } else {
            (void)snprintf(ret_text, TABLE_CELL_BYTES, "%llx",
                           (unsigned long long)number_of(stack, (enum thread_column)column));
        }
        break;
    case THREAD_COLUMN_COUNT:
        break;
    }
}
