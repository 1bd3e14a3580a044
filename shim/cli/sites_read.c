#include "shim/cli/sites_read.h"

#include "detect/process_memory.h"
#include "detect/process_tasks.h"
#include "detect/root_read.h"
#include "shim/cli/counters_read.h"
#include "shim/cli/inspection.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* More than any version would keep: a number above is no number of sites. */
#define COUNT_MOST ((uint64_t)1 << 20)

static bool is_sites_library(const char *path)
{
    static const char name[] = "libthpfix-sites.so";
    const char *slash = strrchr(path, '/');
    return slash != NULL && strncmp(slash + 1, name, sizeof(name) - 1) == 0;
}

int sites_check_head(const struct sites *head)
{
    if (head->magic != SITES_MAGIC) {
        return -EPROTO;
    }
    if (head->version != SITES_VERSION) {
        return -EPROTONOSUPPORT;
    }
    /* Append only: what is there may be longer than what is known here, or shorter. */
    if (head->size_bytes < offsetof(struct sites, seen) ||
        head->site_bytes < sizeof(struct sites_site) ||
        head->thread_bytes < sizeof(struct sites_thread) || head->site_bytes > COUNT_MOST ||
        head->thread_bytes > COUNT_MOST || head->site_count > COUNT_MOST ||
        head->thread_room > COUNT_MOST) {
        return -EPROTO;
    }
    return 0;
}

static int read_head(struct sites_report *report, uint64_t address)
{
    pid_t tid = report->identity.memory_tid;
    int result = process_memory_read(tid, address, &report->head, offsetof(struct sites, seen));
    if (result == 0) {
        result = sites_check_head(&report->head);
    }
    if (result != 0) {
        return result;
    }
    size_t size = report->head.size_bytes;
    size = size < sizeof(report->head) ? size : sizeof(report->head);
    return process_memory_read(tid, address, &report->head, size);
}

static int read_sites(struct sites_report *report)
{
    const struct sites *head = &report->head;
    report->rows = calloc(head->site_count + 1, sizeof(*report->rows));
    if (report->rows == NULL) {
        return -ENOMEM;
    }
    for (; report->count < head->site_count; report->count++) {
        struct sites_site *site = &report->rows[report->count].site;
        int result = process_memory_read(report->identity.memory_tid,
                                         head->sites + report->count * head->site_bytes, site,
                                         sizeof(*site));
        if (result != 0) {
            return result;
        }
        if (site->frame_count > SITES_FRAMES_MAX) {
            return -EPROTO;
        }
    }
    return 0;
}

static int compare_threads(const void *a, const void *b)
{
    const struct sites_thread *left = a, *right = b;
    return (left->thread > right->thread) - (left->thread < right->thread);
}

/* In the order of the ids. Places that were never used are small and read as zeros. */
static int read_threads(const struct sites_report *report, struct sites_thread **ret_threads,
                        size_t *ret_count)
{
    const struct sites *head = &report->head;
    size_t count = 0;
    char *bytes = malloc(head->thread_room * head->thread_bytes + 1);
    struct sites_thread *threads = calloc(head->thread_room + 1, sizeof(*threads));
    int result = -ENOMEM;
    if (bytes != NULL && threads != NULL) {
        result = process_memory_read(report->identity.memory_tid, head->threads, bytes,
                                     head->thread_room * head->thread_bytes);
    }
    for (size_t i = 0; result == 0 && i < head->thread_room; i++) {
        memcpy(&threads[count], bytes + i * head->thread_bytes, sizeof(*threads));
        count += threads[count].owner != 0;
    }
    free(bytes);
    if (result != 0) {
        free(threads);
        return result;
    }
    qsort(threads, count, sizeof(*threads), compare_threads);
    *ret_threads = threads;
    *ret_count = count;
    return 0;
}

/* The row of the thread with this id, on this stack. */
static struct site_row *row_of(struct sites_report *report, const struct sites_thread *threads,
                               size_t count, pid_t inner_id, const struct process_stack *stack)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (threads[middle].thread < (uint64_t)inner_id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (; low < count && threads[low].thread == (uint64_t)inner_id; low++) {
        uint64_t descriptor = threads[low].owner >> 16 << 4, site = threads[low].owner & 0xffff;
        if (descriptor >= stack->base && descriptor < stack->end && site != 0 &&
            site <= report->count) {
            return &report->rows[site - 1];
        }
    }
    return &report->others;
}

static void join(struct sites_report *report, const struct inspection *inspection,
                 const struct sites_thread *threads, size_t count)
{
    for (size_t i = 0; i < inspection->stacks.count; i++) {
        const struct process_stack *stack = &inspection->stacks.stacks[i];
        pid_t inner_id = stack->tid;
        if (stack->origin == STACK_KERNEL) {
            continue;
        }
        if (report->identity.in_pid_namespace) {
            (void)process_task_inner_id(ROOT_HOST, report->identity.pid, stack->tid, &inner_id);
        }
        struct site_row *row = row_of(report, threads, count, inner_id, stack);
        row->alive++;
        row->not_told += !stack->rss_known || !stack->huge_known;
        row->rss_bytes += stack->rss_known ? stack->rss_bytes : 0;
        row->huge_bytes += stack->huge_known ? stack->huge_bytes : 0;
    }
}

static int compare_rows(const void *a, const void *b)
{
    const struct site_row *left = a, *right = b;
    if (left->huge_bytes != right->huge_bytes) {
        return left->huge_bytes < right->huge_bytes ? 1 : -1;
    }
    if (left->rss_bytes != right->rss_bytes) {
        return left->rss_bytes < right->rss_bytes ? 1 : -1;
    }
    return (left->site.created < right->site.created) - (left->site.created > right->site.created);
}

static int read_and_join(struct sites_report *report, uint64_t address)
{
    struct sites_thread *threads;
    size_t count;
    struct inspection inspection;
    pid_t inner_pid = report->identity.pid;
    int result = read_head(report, address);
    if (result == 0) {
        result = read_sites(report);
    }
    if (result == 0) {
        result = read_threads(report, &threads, &count);
    }
    if (result != 0) {
        return result;
    }
    result = inspection_read(report->identity.pid, false, &inspection);
    if (result == 0) {
        join(report, &inspection, threads, count);
        inspection_free(&inspection);
        qsort(report->rows, report->count, sizeof(*report->rows), compare_rows);
        result = process_task_inner_id(ROOT_HOST, report->identity.pid, report->identity.pid,
                                       &inner_pid);
        report->of_parent = result == 0 && (uint64_t)inner_pid != report->head.pid;
    }
    free(threads);
    return result;
}

int sites_read(pid_t pid, struct sites_report *ret_report)
{
    static remote_library_test *const tests[] = {is_sites_library, counters_is_library};
    struct remote_library libraries[2];
    struct remote_symbols symbols;
    uint64_t address;
    memset(ret_report, 0, sizeof(*ret_report));
    ret_report->identity.pid = pid;
    int result = process_identify(ROOT_HOST, pid, &ret_report->identity);
    if (result == 0) {
        result = remote_library_find(ret_report->identity.memory_tid, tests, 2, libraries);
    }
    if (result != 0) {
        return result;
    }
    ret_report->library = libraries[0];
    ret_report->has_shim = libraries[1].start != 0;
    if (libraries[0].start == 0) {
        return 0;
    }
    result = remote_symbols_open(ret_report->identity.memory_tid, &libraries[0], &symbols);
    if (result == 0) {
        result = remote_symbols_find(&symbols, SITES_SYMBOL, &address);
    }
    return result != 0 ? result : read_and_join(ret_report, address);
}

void sites_free(struct sites_report *report)
{
    free(report->rows);
    report->rows = NULL;
}
