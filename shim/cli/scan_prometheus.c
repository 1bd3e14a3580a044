#include "shim/cli/prometheus.h"
#include "shim/cli/scan.h"

#include <stdio.h>
#include <string.h>

static uint64_t threads(const struct scan_row *row)
{
    return row->identity.threads;
}

static uint64_t stack_size(const struct scan_row *row)
{
    return row->totals.size_bytes;
}

static uint64_t stack_resident(const struct scan_row *row)
{
    return row->totals.rss_bytes;
}

static uint64_t stack_huge(const struct scan_row *row)
{
    return row->totals.huge_bytes;
}

static uint64_t stack_back(const struct scan_row *row)
{
    return row->totals.back_bytes;
}

static uint64_t library_active(const struct scan_row *row)
{
    return strcmp(row->library, "active") == 0;
}

static const struct {
    const char *name, *help;
    uint64_t (*value)(const struct scan_row *row);
} metrics[] = {
    {"thpfix_process_threads", "Threads of the process.", threads},
    {"thpfix_process_thread_stack_size_bytes", "Address space of its thread stacks.", stack_size},
    {"thpfix_process_thread_stack_resident_bytes", "Memory that its thread stacks take.",
     stack_resident},
    {"thpfix_process_thread_stack_huge_bytes", "Memory of its thread stacks in huge pages.",
     stack_huge},
    {"thpfix_process_thread_stack_returnable_bytes",
     "Memory of its thread stacks that is resident like a huge page and that no thread uses.",
     stack_back},
    {"thpfix_process_library_active", "1 where libthpfix is loaded and active.", library_active},
};

static void print_process_metrics(const struct scan *scan)
{
    for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++) {
        prometheus_metric(stdout, metrics[i].name, "gauge", metrics[i].help);
        for (size_t j = 0; j < scan->count; j++) {
            const struct scan_row *row = &scan->rows[j];
            char pid[16];
            (void)snprintf(pid, sizeof(pid), "%d", (int)row->identity.pid);
            struct prometheus_label labels[] = {
                {"pid", pid}, {"command", row->identity.name}, {NULL, NULL}};
            prometheus_sample(stdout, metrics[i].name, labels, metrics[i].value(row));
        }
    }
}

static void print_total(const char *name, const char *help, uint64_t value)
{
    prometheus_metric(stdout, name, "gauge", help);
    prometheus_sample(stdout, name, NULL, value);
}

void scan_print_prometheus(const struct scan *scan)
{
    static const char processes[] = "thpfix_scan_processes";
    const struct {
        const char *result;
        size_t count;
    } results[] = {
        {"read", scan->read},
        {"single_threaded", scan->single},
        {"unreadable", scan->denied + scan->failed},
        {"ended", scan->ended},
    };
    print_process_metrics(scan);
    print_total("thpfix_thread_stack_resident_bytes",
                "Memory that the thread stacks of all processes take.", scan->stack_rss_bytes);
    print_total("thpfix_thread_stack_huge_bytes",
                "Memory of the thread stacks of all processes in huge pages.", scan->huge_bytes);
    print_total("thpfix_thread_stack_returnable_bytes",
                "Memory of all thread stacks that is resident like a huge page and that no "
                "thread uses.",
                scan->back_bytes);
    prometheus_metric(stdout, processes, "gauge", "Processes by what came of reading them.");
    for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++) {
        struct prometheus_label labels[] = {{"result", results[i].result}, {NULL, NULL}};
        prometheus_sample(stdout, processes, labels, results[i].count);
    }
}
