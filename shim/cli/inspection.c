#include "shim/cli/inspection.h"
#include "detect/host.h"
#include "detect/process_arenas.h"
#include "detect/process_smaps.h"
#include "detect/root_read.h"
#include "shim/cli/remote_library.h"

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

/* known has been ended. */
static int finish(struct known_threads *known, bool every_thread, struct inspection *inspection,
                  struct inspection *ret_inspection)
{
    inspection->library = known->library;
    inspection->threads_error = known->glibc_error;
    inspection->threads_complete = known->glibc.complete;
    int result = known->tasks_error;
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

/* What is found out while the mappings are read. Where the lists of threads begin is told last
 * by smaps, and sooner by maps: that is read beside it. */
struct look {
    const struct process_identity *identity;
    struct process_maps *maps;
    struct remote_search search;
    struct remote_library files[KNOWN_LIBRARIES];
    bool has_begun; /* the search is done, and known begun */
    struct known_threads known;
};

static int add(const struct smaps_mapping *mapping, void *context)
{
    const struct look *look = context;
    return process_maps_add(mapping, look->maps);
}

static int go_on(void *context)
{
    struct look *look = context;
    if (look->has_begun) {
        known_threads_on(&look->known);
        return 0;
    }
    int result = remote_search_on(&look->search);
    if (result == 1) {
        known_threads_begin(look->identity, look->files, look->maps, true, &look->known);
        look->has_begun = true;
    }
    return result < 0 ? result : 0;
}

/* On success, known has been ended; and not at all otherwise. */
static int look_at(struct look *look, bool every_thread)
{
    pid_t tid = look->identity->memory_tid;
    int result =
        remote_search_begin(tid, known_library_tests, KNOWN_LIBRARIES, look->files, &look->search);
    if (result != 0) {
        return result;
    }
    result = process_read_smaps_ahead(ROOT_HOST, tid, add, go_on, look);
    while (result == 0 && !look->has_begun) {
        result = go_on(look);
    }
    remote_search_end(&look->search);
    if (look->has_begun) {
        known_threads_end(look->identity, every_thread, &look->known);
        if (result != 0) {
            known_threads_free(&look->known);
        }
    }
    return result;
}

int inspection_read(pid_t pid, bool every_thread, struct inspection *ret_inspection)
{
    struct process_identity identity;
    struct inspection inspection;
    struct look look = {.identity = &identity, .maps = &inspection.maps};
    int result = process_identify(ROOT_HOST, pid, &identity);
    if (result != 0) {
        return result;
    }
    begin(&identity, &inspection);
    result = look_at(&look, every_thread);
    if (result != 0) {
        inspection_free(&inspection);
        return result;
    }
    return finish(&look.known, every_thread, &inspection, ret_inspection);
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

int inspection_read_here(const struct process_identity *identity, struct inspection *ret_inspection)
{
    struct inspection inspection;
    struct known_threads known;
    struct pass pass = {.maps = &inspection.maps};
    begin(identity, &inspection);
    int result = process_read_smaps(ROOT_HOST, identity->memory_tid, take, &pass);
    if (result != 0) {
        inspection_free(&inspection);
        return result;
    }
    known_threads_begin(identity, pass.files, &inspection.maps, false, &known);
    known_threads_end(identity, false, &known);
    return finish(&known, false, &inspection, ret_inspection);
}

void inspection_free(struct inspection *inspection)
{
    process_maps_free(&inspection->maps);
    process_stacks_free(&inspection->stacks);
}
