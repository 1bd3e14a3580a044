#include "shim/cli/inspection.h"
#include "detect/host.h"
#include "detect/process_arenas.h"
#include "detect/process_smaps.h"
#include "detect/root_read.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

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

static int put_together(const struct known_threads *known, bool every_thread,
                        struct inspection *inspection)
{
    struct process_pages pages;
    const struct process_identity *identity = &inspection->identity;
    bool has_pages =
        process_pages_open(ROOT_HOST, identity->memory_tid, inspection->page_bytes, &pages) == 0;
    int result = process_stacks_match(
        identity->pid, known->tasks.tids, known->inner_ids, known->tasks.count, &known->glibc,
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

/* The machine's sizes do not change. */
static size_t page_bytes, thp_bytes;

static void read_sizes(void)
{
    struct thp_policy policy;
    page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    host_read_thp_policy(ROOT_HOST, page_bytes, &policy);
    thp_bytes = policy.pmd_bytes;
}

static void begin(const struct process_identity *identity, struct inspection *ret_inspection)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, read_sizes);
    *ret_inspection = (struct inspection){
        .identity = *identity, .page_bytes = page_bytes, .thp_bytes = thp_bytes};
}

/* result: of reading the mappings. */
static int finish(int result, struct known_threads *known, bool every_thread,
                  struct inspection *inspection, struct inspection *ret_inspection)
{
    inspection->library = known->library;
    inspection->threads_error = known->glibc_error;
    inspection->threads_complete = known->glibc.complete;
    if (result == 0) {
        result = known->tasks_error;
    }
    if (result == 0) {
        result = put_together(known, every_thread, inspection);
    }
    known_threads_free(known);
    if (result == 0 && !process_still_there(ROOT_HOST, &inspection->identity)) {
        result = -ESRCH;
    }
    if (result != 0) {
        inspection_free(inspection);
        return result;
    }
    *ret_inspection = *inspection;
    return 0;
}

/* One pass for both: the mappings and the libraries among them. */
struct pass {
    struct process_maps *maps;
    struct remote_library files[KNOWN_LIBRARIES];
};

static int take(const struct smaps_mapping *mapping, void *context)
{
    struct pass *pass = context;
    remote_library_look(mapping, known_library_tests, KNOWN_LIBRARIES, pass->files);
    return process_maps_add(mapping, pass->maps);
}

/* What a second thread finds out while the mappings with their sums are read. */
struct aside {
    const struct process_identity *identity;
    bool every_thread;
    int result;
    struct known_threads known;
};

static void *look_aside(void *argument)
{
    struct aside *aside = argument;
    struct process_maps maps = {0};
    struct pass pass = {.maps = &maps};
    aside->result = process_read_maps(ROOT_HOST, aside->identity->memory_tid, take, &pass);
    if (aside->result == 0) {
        known_threads_read(aside->identity, pass.files, &maps, aside->every_thread, true,
                           &aside->known);
    }
    process_maps_free(&maps);
    return NULL;
}

int inspection_read(pid_t pid, bool every_thread, struct inspection *ret_inspection)
{
    struct process_identity identity;
    struct inspection inspection;
    struct aside aside = {.identity = &identity, .every_thread = every_thread};
    pthread_t second;
    int result = process_identify(ROOT_HOST, pid, &identity);
    if (result != 0) {
        return result;
    }
    begin(&identity, &inspection);
    result = -pthread_create(&second, NULL, look_aside, &aside);
    if (result != 0) {
        return result;
    }
    result = process_read_smaps(ROOT_HOST, identity.memory_tid, process_maps_add, &inspection.maps);
    (void)pthread_join(second, NULL);
    return finish(result != 0 ? result : aside.result, &aside.known, every_thread, &inspection,
                  ret_inspection);
}

int inspection_read_here(const struct process_identity *identity, struct inspection *ret_inspection)
{
    struct inspection inspection;
    struct known_threads known = {0};
    struct pass pass = {.maps = &inspection.maps};
    begin(identity, &inspection);
    int result = process_read_smaps(ROOT_HOST, identity->memory_tid, take, &pass);
    if (result == 0) {
        known_threads_read(identity, pass.files, &inspection.maps, false, false, &known);
    }
    return finish(result, &known, false, &inspection, ret_inspection);
}

void inspection_free(struct inspection *inspection)
{
    process_maps_free(&inspection->maps);
    process_stacks_free(&inspection->stacks);
}
