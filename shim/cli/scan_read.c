#include "detect/process_tasks.h"
#include "detect/root_read.h"
#include "shim/cli/inspect.h"
#include "shim/cli/scan.h"
#include "shim/cli/watch.h"

#include <errno.h>
#include <pthread.h>
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

/* Enters a process that was read. */
static int enter(struct scan *scan, const struct inspection *inspection, uint64_t least_bytes,
                 bool in_bytes)
{
    struct scan_row row = {
        .identity = inspection->identity,
        .totals = inspection->totals,
        .rss_bytes = inspection->maps.total.rss_bytes,
        .huge_bytes = inspection->maps.total.huge_bytes,
        .library = inspect_library_word(&inspection->library),
        .in_bytes = in_bytes,
    };
    scan->read++;
    scan->back_bytes += row.totals.back_bytes;
    scan->huge_bytes += row.totals.huge_bytes;
    scan->stack_rss_bytes += row.totals.rss_bytes;
    return row.totals.back_bytes >= least_bytes ? add_row(scan, &row) : 0;
}

/* More would only disturb the machine. */
#define WORKERS_MAX 2

/* What the workers share. */
struct work {
    struct process_tasks processes;
    uint64_t least_bytes;
    bool in_bytes;
    pthread_mutex_t lock;
    /* Under the lock: */
    size_t next;
    int result;
    struct scan scan;
};

/* Takes the next process. False when there is none, or it is time to end. */
static bool take_next(struct work *work, pid_t *ret_pid)
{
    /* Its own threads are there only to read the others. */
    if (work->next < work->processes.count && work->processes.tids[work->next] == getpid()) {
        work->next++;
    }
    if (watch_ended()) {
        work->result = -EINTR;
    }
    if (work->result != 0 || work->next >= work->processes.count) {
        return false;
    }
    *ret_pid = work->processes.tids[work->next++];
    watch_progress("thpfix scan: process", work->next, work->processes.count);
    return true;
}

static void read_one(struct work *work, pid_t pid)
{
    struct inspection inspection;
    struct process_identity identity;
    int result = process_identify(ROOT_HOST, pid, &identity);
    bool single = result == 0 && identity.threads < 2;
    if (result == 0 && !single) {
        result = inspection_read_here(&identity, &inspection);
    }
    (void)pthread_mutex_lock(&work->lock);
    if (single) {
        work->scan.single++;
    } else if (result != 0) {
        result = count_failure(&work->scan, result);
    } else {
        result = enter(&work->scan, &inspection, work->least_bytes, work->in_bytes);
        inspection_free(&inspection);
    }
    if (result != 0) {
        work->result = result;
    }
    (void)pthread_mutex_unlock(&work->lock);
}

static void *work_on(void *argument)
{
    struct work *work = argument;
    pid_t pid;
    for (;;) {
        (void)pthread_mutex_lock(&work->lock);
        bool more = take_next(work, &pid);
        (void)pthread_mutex_unlock(&work->lock);
        if (!more) {
            return NULL;
        }
        read_one(work, pid);
    }
}

/* This thread works as well; one that cannot be had is no failure. */
static void share_work(struct work *work)
{
    pthread_t helpers[WORKERS_MAX];
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    size_t wanted = cpus > WORKERS_MAX ? WORKERS_MAX : (size_t)(cpus > 0 ? cpus : 1), count = 0;
    while (count + 1 < wanted && pthread_create(&helpers[count], NULL, work_on, work) == 0) {
        count++;
    }
    (void)work_on(work);
    while (count > 0) {
        (void)pthread_join(helpers[--count], NULL);
    }
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
    struct work work = {
        .least_bytes = least_bytes, .in_bytes = in_bytes, .lock = PTHREAD_MUTEX_INITIALIZER};
    int result = process_list_all(ROOT_HOST, &work.processes);
    if (result != 0) {
        return result;
    }
    share_work(&work);
    watch_progress_end();
    process_free_tasks(&work.processes);
    if (work.result != 0) {
        scan_free(&work.scan);
        return work.result;
    }
    if (work.scan.count > 0) {
        qsort(work.scan.rows, work.scan.count, sizeof(*work.scan.rows), compare);
    }
    *ret_scan = work.scan;
    return 0;
}

void scan_free(struct scan *scan)
{
    free(scan->rows);
    *scan = (struct scan){0};
}
