#include "detect/verdict.h"
#include "shim/cli/inspect.h"
#include "shim/cli/json_write.h"

#include <stdio.h>

static void add_bytes(struct json_writer *json, const char *name, uint64_t bytes, bool known)
{
    if (known) {
        json_number(json, name, (long long)bytes);
    } else {
        json_null(json, name);
    }
}

static void add_sum(struct json_writer *json, const char *name, const struct memory_sum *sum)
{
    json_open(json, name, '{');
    json_number(json, "mappings", (long long)sum->mappings);
    json_number(json, "size_bytes", (long long)sum->size_bytes);
    json_number(json, "resident_bytes", (long long)sum->rss_bytes);
    json_number(json, "huge_bytes", (long long)sum->huge_bytes);
    json_number(json, "swap_bytes", (long long)sum->swap_bytes);
    json_close(json, '}');
}

static void add_memory(struct json_writer *json, const struct process_maps *maps)
{
    json_open(json, "memory", '{');
#define ADD_KIND(name, word, words) add_sum(json, word, &maps->kinds[MEMORY_##name]);
    MEMORY_KINDS(ADD_KIND)
#undef ADD_KIND
    add_sum(json, "all", &maps->total);
    json_close(json, '}');
}

static void add_stacks(struct json_writer *json, const struct inspection *inspection)
{
    const struct stack_totals *totals = &inspection->totals;
    json_open(json, "stacks", '{');
    json_number(json, "count", (long long)totals->stacks);
    json_number(json, "unknown", (long long)totals->untold);
    json_number(json, "merged", (long long)totals->merged);
    json_number(json, "exempt", (long long)totals->exempt);
    json_number(json, "size_bytes", (long long)totals->size_bytes);
    json_number(json, "resident_bytes", (long long)totals->rss_bytes);
    json_number(json, "huge_bytes", (long long)totals->huge_bytes);
    json_number(json, "would_return_bytes", (long long)totals->back_bytes);
    json_number(json, "not_judged", (long long)totals->not_judged);
    json_close(json, '}');
}

static void add_library(struct json_writer *json, const struct inspection *inspection)
{
    const struct library_seen *library = &inspection->library;
    bool read = library->state == LIBRARY_READ;
    json_open(json, "library", '{');
    json_bool(json, "loaded", read || library->state == LIBRARY_FOREIGN);
    json_string(json, "state", inspect_library_word(library));
    json_string(
        json, "reason",
        read ? verdict_reason_word((enum verdict_reason)library->found.counters.verdict_reason)
             : NULL);
    json_string(json, "path", library->file.start != 0 ? library->file.path : NULL);
    add_bytes(json, "threads_seen", library->found.counters.threads_seen, read);
    add_bytes(json, "bypassed_at_least", inspect_bypassed(inspection), read);
    json_close(json, '}');
}

static void add_thread(struct json_writer *json, const struct thread_row *row)
{
    const struct process_stack *stack = row->stack;
    bool told = stack->origin != STACK_UNTOLD;
    json_open(json, NULL, '{');
    json_number(json, "tid", stack->tid);
    json_string(json, "name", row->name);
    json_string(json, "origin", process_stack_origin_word(stack->origin));
    add_bytes(json, "base", stack->base, stack->end != 0);
    add_bytes(json, "end", stack->end, stack->end != 0);
    add_bytes(json, "size_bytes", stack->end - stack->base, told);
    add_bytes(json, "resident_bytes", stack->rss_bytes, told && stack->rss_known);
    add_bytes(json, "huge_bytes", stack->huge_bytes, told && stack->huge_known);
    add_bytes(json, "used_bytes", stack->used_bytes, stack->depth == DEPTH_TOLD);
    add_bytes(json, "guard_bytes", stack->guard_bytes, told);
    add_bytes(json, "would_return_bytes", stack->back_bytes, told && stack->back_known);
    if (told && stack->exempt_known) {
        json_bool(json, "exempt", stack->exempt);
    } else {
        json_null(json, "exempt");
    }
    json_bool(json, "merged", stack->merged);
    json_bool(json, "running", stack->depth == DEPTH_RUNNING);
    json_close(json, '}');
}

void inspect_print_json(const struct inspection *inspection, const struct thread_row *rows)
{
    struct json_writer json = {.stream = stdout};
    json_open(&json, NULL, '{');
    json_number(&json, "pid", inspection->identity.pid);
    json_string(&json, "command", inspection->identity.name);
    json_number(&json, "threads", (long long)inspection->stacks.count);
    add_stacks(&json, inspection);
    add_memory(&json, &inspection->maps);
    add_library(&json, inspection);
    if (rows != NULL) {
        json_open(&json, "thread_list", '[');
        for (size_t i = 0; i < inspection->stacks.count; i++) {
            add_thread(&json, &rows[i]);
        }
        json_close(&json, ']');
    }
    json_close(&json, '}');
}
