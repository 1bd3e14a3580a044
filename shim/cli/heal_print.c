#include "shim/cli/heal.h"
#include "shim/cli/json_write.h"
#include "shim/cli/text_size.h"

#include <stdio.h>
#include <string.h>

static void print_row(const char *name, uint64_t before, uint64_t after)
{
    char left[TEXT_SIZE_BYTES], right[TEXT_SIZE_BYTES];
    text_size(before, left);
    text_size(after, right);
    printf("  %-26s %10s %10s\n", name, left, right);
}

static void print_who(const struct process_identity *identity)
{
    printf("Process %d (%s), %zu threads: ", (int)identity->pid, identity->name, identity->threads);
}

void heal_print_prospect(const struct heal_report *report)
{
    const struct heal_numbers *numbers = &report->before;
    char back[TEXT_SIZE_BYTES], resident[TEXT_SIZE_BYTES];
    text_size(numbers->back_bytes, back);
    text_size(numbers->rss_bytes, resident);
    print_who(&report->identity);
    printf("about %s of %s resident would return", back, resident);
    if (numbers->not_judged != 0) {
        printf(", and what %zu running threads have", numbers->not_judged);
    }
    printf(".\n");
}

static void print_left(const struct heal_summary *summary)
{
    for (size_t i = 0; i < HEAL_STATE_COUNT; i++) {
        if (i != HEAL_DONE && i != HEAL_ENDED && summary->states[i] != 0) {
            printf("  left as they were: %zu, %s\n", summary->states[i],
                   heal_state_words((enum heal_state)i));
        }
    }
    if (summary->untold != 0) {
        printf("  left as they were: %zu, stacks that the program made itself, or not known\n",
               summary->untold);
    }
}

void heal_print_result(const struct heal_report *report)
{
    const struct heal_summary *summary = &report->summary;
    const struct heal_tally *tally = &summary->tally;
    char freed[TEXT_SIZE_BYTES];
    text_size(tally->freed_bytes, freed);
    print_who(&report->identity);
    printf("%s freed in %zu.\n", freed, summary->states[HEAL_DONE]);
    printf("  %-26s %10s %10s\n", "", "before", "after");
    print_row("resident", report->before.rss_bytes, report->after.rss_bytes);
    print_row("thread stacks, resident", report->before.stack_rss_bytes,
              report->after.stack_rss_bytes);
    print_row("thread stacks, huge pages", report->before.stack_huge_bytes,
              report->after.stack_huge_bytes);
    print_row("would return", report->before.back_bytes, report->after.back_bytes);
    if (report->before.cgroup_bytes >= 0 && report->after.cgroup_bytes >= 0) {
        print_row("memory of its cgroup", (uint64_t)report->before.cgroup_bytes,
                  (uint64_t)report->after.cgroup_bytes);
    }
    printf("  %llu stops of one thread each: longest %.1f ms, all together %.1f ms\n",
           (unsigned long long)tally->stops, (double)tally->longest_ns / 1e6,
           (double)tally->total_ns / 1e6);
    print_left(summary);
    if (tally->failed_calls != 0) {
        printf("  %llu calls of madvise failed, the last with: %s\n",
               (unsigned long long)tally->failed_calls, strerror(-tally->call_error));
    }
}

static void add_numbers(struct json_writer *json, const char *name,
                        const struct heal_numbers *numbers)
{
    json_open(json, name, '{');
    json_number(json, "resident_bytes", (long long)numbers->rss_bytes);
    json_number(json, "stacks_resident_bytes", (long long)numbers->stack_rss_bytes);
    json_number(json, "stacks_huge_bytes", (long long)numbers->stack_huge_bytes);
    json_number(json, "would_return_bytes", (long long)numbers->back_bytes);
    json_number(json, "not_judged", (long long)numbers->not_judged);
    if (numbers->cgroup_bytes >= 0) {
        json_number(json, "cgroup_bytes", (long long)numbers->cgroup_bytes);
    } else {
        json_null(json, "cgroup_bytes");
    }
    json_close(json, '}');
}

static void add_result(struct json_writer *json, const struct heal_summary *summary)
{
    static const char *const names[] = {
#define HEAL_STATE_NAME(name, words) [HEAL_##name] = #name,
        HEAL_STATES(HEAL_STATE_NAME)
#undef HEAL_STATE_NAME
    };
    json_number(json, "freed_bytes", (long long)summary->tally.freed_bytes);
    json_number(json, "stops", (long long)summary->tally.stops);
    json_number(json, "longest_stop_ns", (long long)summary->tally.longest_ns);
    json_number(json, "all_stops_ns", (long long)summary->tally.total_ns);
    json_number(json, "failed_calls", (long long)summary->tally.failed_calls);
    json_open(json, "threads", '{');
    for (size_t i = 0; i < HEAL_STATE_COUNT; i++) {
        char name[32] = "";
        for (size_t j = 0; names[i][j] != '\0'; j++) {
            unsigned char letter = (unsigned char)names[i][j];
            name[j] = (char)(letter == '_' ? letter : (unsigned char)(letter | 0x20U));
        }
        json_number(json, name, (long long)summary->states[i]);
    }
    json_number(json, "unknown_stack", (long long)summary->untold);
    json_close(json, '}');
}

void heal_print_json(const struct heal_report *report)
{
    struct json_writer json = {.stream = stdout};
    json_open(&json, NULL, '{');
    json_number(&json, "pid", report->identity.pid);
    json_string(&json, "name", report->identity.name);
    json_number(&json, "threads_alive", (long long)report->identity.threads);
    json_bool(&json, "acted", report->acted);
    add_numbers(&json, "before", &report->before);
    if (report->acted) {
        add_numbers(&json, "after", &report->after);
        add_result(&json, &report->summary);
    }
    json_close(&json, '}');
}
