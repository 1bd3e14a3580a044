#include "shim/cli/inspection.h"
#include "detect/host.h"
#include "detect/process_arenas.h"
#include "detect/process_smaps.h"
#include "detect/process_tasks.h"
#include "detect/root_read.h"
#include "shim/cli/glibc_layout.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a second thread finds out while the mappings are read. */
struct aside {
    const struct process_identity *identity;
    bool every_thread;
    struct process_tasks tasks;
    pid_t *inner_ids;
    struct glibc_threads known;
    int tasks_error, threads_error;
    struct library_seen library;
};

bool inspection_environment_asks(const char *environment, size_t length)
{
    static const char name[] = "LD_PRELOAD=";
    const char *end = environment + length;
    while (environment < end) {
        size_t piece = strnlen(environment, (size_t)(end - environment));
        if (piece > sizeof(name) && memcmp(environment, name, sizeof(name) - 1) == 0 &&
            memmem(environment, piece, "libthpfix.so", strlen("libthpfix.so")) != NULL) {
            return true;
        }
        environment += piece + 1;
    }
    return false;
}

static bool environment_asks(pid_t tid)
{
    static char text[256 * 1024];
    char path[64];
    (void)snprintf(path, sizeof(path), "/proc/%d/environ", (int)tid);
    ssize_t length = root_read(ROOT_HOST, path, text, sizeof(text));
    return length > 0 && inspection_environment_asks(text, (size_t)length);
}

static void look_at_library(pid_t tid, struct library_seen *library)
{
    if (library->file.start == 0) {
        library->state = environment_asks(tid) ? LIBRARY_KEPT_OUT : LIBRARY_ABSENT;
        return;
    }
    library->error = counters_find(tid, &library->file, &library->found);
    library->state = library->error == 0 ? LIBRARY_READ : LIBRARY_FOREIGN;
}

static int read_inner_ids(struct aside *aside)
{
    if (!aside->identity->in_pid_namespace) {
        return 0;
    }
    aside->inner_ids = calloc(aside->tasks.count, sizeof(*aside->inner_ids));
    if (aside->inner_ids == NULL) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < aside->tasks.count; i++) {
        /* One that has ended meanwhile keeps 0, which is nobody's. */
        (void)process_task_inner_id(ROOT_HOST, aside->identity->pid, aside->tasks.tids[i],
                                    &aside->inner_ids[i]);
    }
    return 0;
}

/* Where glibc knows of as many threads as the kernel does, its list is the kernel's, and a
 * directory of ten thousand entries need not be read. */
static bool take_known_for_all(struct aside *aside)
{
    const struct glibc_threads *known = &aside->known;
    bool has_first = false;
    if (aside->every_thread || aside->threads_error != 0 || !known->complete ||
        aside->identity->in_pid_namespace || known->count != aside->identity->threads) {
        return false;
    }
    pid_t *tids = calloc(known->count, sizeof(*tids));
    for (size_t i = 0; tids != NULL && i < known->count; i++) {
        tids[i] = known->threads[i].tid;
        has_first |= tids[i] == aside->identity->pid;
    }
    if (!has_first) {
        free(tids);
        return false;
    }
    aside->tasks = (struct process_tasks){tids, known->count};
    return true;
}

static void *look_aside(void *argument)
{
    static remote_library_test *const tests[] = {glibc_is_libc, glibc_is_libpthread,
                                                 glibc_is_loader, counters_is_library};
    struct aside *aside = argument;
    struct remote_library files[4];
    struct glibc_layout layout;
    pid_t tid = aside->identity->memory_tid;
    aside->threads_error = remote_library_find(tid, tests, 4, files);
    if (aside->threads_error == 0) {
        struct glibc_libraries libraries = {files[0], files[1], files[2]};
        aside->library.file = files[3];
        look_at_library(tid, &aside->library);
        aside->threads_error = glibc_layout_read(tid, &libraries, &layout);
    }
    if (aside->threads_error == 0) {
        aside->threads_error = process_walk_descriptors(tid, &layout, &aside->known);
    }
    if (take_known_for_all(aside)) {
        return NULL;
    }
    aside->tasks_error = process_list_tasks(ROOT_HOST, aside->identity->pid, &aside->tasks);
    if (aside->tasks_error == 0) {
        aside->tasks_error = read_inner_ids(aside);
    }
    return NULL;
}

static void aside_free(struct aside *aside)
{
    process_free_tasks(&aside->tasks);
    process_free_descriptors(&aside->known);
    free(aside->inner_ids);
}

static void ask_depths(struct inspection *inspection, bool every_thread,
                       const struct process_pages *pages)
{
    for (size_t i = 0; i < inspection->stacks.count; i++) {
        struct process_stack *stack = &inspection->stacks.stacks[i];
        if (every_thread || process_stack_suspect(stack, inspection->thp_bytes)) {
            uint64_t pointer = 0;
            int result =
                process_task_pointer(ROOT_HOST, inspection->identity.pid, stack->tid, &pointer);
            process_stack_set_pointer(stack, result, pointer, &inspection->maps);
        }
        process_stack_judge(stack, pages, inspection->thp_bytes);
    }
}

static void sum_up(struct inspection *inspection)
{
    struct stack_totals *totals = &inspection->totals;
    for (size_t i = 0; i < inspection->stacks.count; i++) {
        const struct process_stack *stack = &inspection->stacks.stacks[i];
        if (stack->origin == STACK_UNTOLD) {
            totals->untold++;
        }
        if (stack->origin != STACK_GLIBC && stack->origin != STACK_CALLER) {
            continue;
        }
        totals->stacks++;
        totals->merged += stack->merged;
        totals->exempt += stack->exempt && stack->exempt_known;
        totals->rss_unknown += !stack->rss_known;
        totals->huge_unknown += !stack->huge_known;
        totals->size_bytes += stack->end - stack->base;
        totals->not_judged += !stack->back_known;
        totals->back_bytes += stack->back_bytes;
    }
    /* From the mappings: a mapping of stacks only is theirs even where it is not told
     * which page is whose. */
    totals->rss_bytes = inspection->maps.kinds[MEMORY_THREAD_STACKS].rss_bytes;
    totals->huge_bytes = inspection->maps.kinds[MEMORY_THREAD_STACKS].huge_bytes;
}

static int put_together(struct aside *aside, bool every_thread, struct inspection *inspection)
{
    struct process_pages pages;
    const struct process_identity *identity = &inspection->identity;
    bool has_pages =
        process_pages_open(ROOT_HOST, identity->memory_tid, inspection->page_bytes, &pages) == 0;
    int result = process_stacks_match(
        identity->pid, aside->tasks.tids, aside->inner_ids, aside->tasks.count, &aside->known,
        &inspection->maps, has_pages ? &pages : NULL, inspection->thp_bytes, &inspection->stacks);
    if (result == 0) {
        process_find_arenas(identity->memory_tid, has_pages ? &pages : NULL, &inspection->maps);
        ask_depths(inspection, every_thread, has_pages ? &pages : NULL);
        sum_up(inspection);
    }
    if (has_pages) {
        process_pages_close(&pages);
    }
    return result;
}

static void read_sizes(struct inspection *inspection)
{
    struct thp_policy policy;
    inspection->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    host_read_thp_policy(ROOT_HOST, inspection->page_bytes, &policy);
    inspection->thp_bytes = policy.pmd_bytes;
}

int inspection_read(pid_t pid, bool every_thread, struct inspection *ret_inspection)
{
    struct inspection inspection = {0};
    struct aside aside = {.identity = &inspection.identity, .every_thread = every_thread};
    pthread_t second;
    int result = process_identify(ROOT_HOST, pid, &inspection.identity);
    if (result != 0) {
        return result;
    }
    read_sizes(&inspection);
    result = -pthread_create(&second, NULL, look_aside, &aside);
    if (result != 0) {
        return result;
    }
    result = process_read_smaps(ROOT_HOST, inspection.identity.memory_tid, process_maps_add,
                                &inspection.maps);
    (void)pthread_join(second, NULL);
    if (result == 0 && aside.tasks_error != 0) {
        result = aside.tasks_error;
    }
    inspection.library = aside.library;
    inspection.threads_error = aside.threads_error;
    inspection.threads_complete = aside.known.complete;
    if (result == 0) {
        result = put_together(&aside, every_thread, &inspection);
    }
    aside_free(&aside);
    if (result == 0 && !process_still_there(ROOT_HOST, &inspection.identity)) {
        result = -ESRCH;
    }
    if (result != 0) {
        inspection_free(&inspection);
        return result;
    }
    *ret_inspection = inspection;
    return 0;
}

void inspection_free(struct inspection *inspection)
{
    process_maps_free(&inspection->maps);
    process_stacks_free(&inspection->stacks);
}
