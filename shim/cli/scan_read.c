#include "detect/process_tasks.h"
#include "detect/root_read.h"
#include "shim/cli/inspect.h"
#include "shim/cli/scan.h"
#include "shim/cli/watch.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static int add_row(struct scan *scan, const struct scan_row *row)
{
    if (scan->count == scan->room) {
        size_t room = scan->room != 0 ? scan->room * 2 : 64;
        struct scan_row *rows = realloc(scan->rows, room * sizeof(*rows));
        if (rows == NULL) {
            return -ENOMEM;
        }
        scan->rows = rows;
        scan->room = room;
    }
    scan->rows[scan->count++] = *row;
    return 0;
}

static int count_failure(struct scan *scan, int error)
{
    switch (error) {
    case -ENOTSUP: /* a thread of the kernel */
        return 0;
    case -ENODATA:
    case -ESRCH:
        scan->ended++;
        return 0;
    case -EACCES:
    case -EPERM:
        scan->denied++;
        return 0;
    case -ENOMEM:
        return error;
    default:
        scan->failed++;
        return 0;
    }
}

static int read_one(struct scan *scan, pid_t pid, uint64_t least_bytes, bool in_bytes)
{
    struct inspection inspection;
    struct process_identity identity;
    int result = process_identify(ROOT_HOST, pid, &identity);
    if (result == 0 && identity.threads < 2) {
        scan->single++;
        return 0;
    }
    if (result == 0) {
        result = inspection_read(pid, false, &inspection);
    }
    if (result != 0) {
        return count_failure(scan, result);
    }
    struct scan_row row = {
        .identity = inspection.identity,
        .totals = inspection.totals,
        .rss_bytes = inspection.maps.total.rss_bytes,
        .huge_bytes = inspection.maps.total.huge_bytes,
        .library = inspect_library_word(&inspection.library),
        .in_bytes = in_bytes,
    };
    scan->read++;
    scan->back_bytes += row.totals.back_bytes;
    scan->huge_bytes += row.totals.huge_bytes;
    scan->stack_rss_bytes += row.totals.rss_bytes;
    inspection_free(&inspection);
    return row.totals.back_bytes >= least_bytes ? add_row(scan, &row) : 0;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* Worst first. */
static int compare(const void *left, const void *right)
{
    const struct scan_row *a = left, *b = right;
    int result = compare_numbers(b->totals.back_bytes, a->totals.back_bytes);
    if (result == 0) {
        result = compare_numbers(b->totals.huge_bytes, a->totals.huge_bytes);
    }
    if (result == 0) {
        result = compare_numbers(b->totals.rss_bytes, a->totals.rss_bytes);
    }
    return result != 0 ? result
                       : (a->identity.pid > b->identity.pid) - (a->identity.pid < b->identity.pid);
}

int scan_read(uint64_t least_bytes, bool in_bytes, struct scan *ret_scan)
{
    struct scan scan = {0};
    struct process_tasks processes;
    int result = process_list_all(ROOT_HOST, &processes);
    if (result != 0) {
        return result;
    }
    for (size_t i = 0; i < processes.count && result == 0; i++) {
        watch_progress("thpfix scan: process", i + 1, processes.count);
        /* Its own second thread is there only to read the others. */
        if (processes.tids[i] != getpid()) {
            result = read_one(&scan, processes.tids[i], least_bytes, in_bytes);
        }
        if (watch_ended()) {
            result = -EINTR;
        }
    }
    watch_progress_end();
    process_free_tasks(&processes);
    if (result != 0) {
        scan_free(&scan);
        return result;
    }
    if (scan.count > 0) {
        qsort(scan.rows, scan.count, sizeof(*scan.rows), compare);
    }
    *ret_scan = scan;
    return 0;
}

void scan_free(struct scan *scan)
{
    free(scan->rows);
    *scan = (struct scan){0};
}
