#include "shim/cli/known_threads.h"
#include "detect/own_memory.h"
#include "detect/root_read.h"
#include "shim/cli/glibc_layout.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

remote_library_test *const known_library_tests[KNOWN_LIBRARIES] = {
    glibc_is_libc, glibc_is_libpthread, glibc_is_loader, counters_is_library};

bool known_environment_asks(const char *environment, size_t length)
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
    char text[64 * 1024]; /* a longer one tells nothing */
    char path[64];
    (void)snprintf(path, sizeof(path), "/proc/%d/environ", (int)tid);
    ssize_t length = root_read(ROOT_HOST, path, text, sizeof(text));
    return length > 0 && known_environment_asks(text, (size_t)length);
}

static void look_at_library(pid_t tid, bool look_outside, struct library_seen *library)
{
    if (library->file.start == 0) {
        bool asked = look_outside && environment_asks(tid);
        library->state = asked ? LIBRARY_KEPT_OUT : LIBRARY_ABSENT;
        return;
    }
    library->error = counters_find(tid, &library->file, &library->found);
    library->state = library->error == 0 ? LIBRARY_READ : LIBRARY_FOREIGN;
}

static int read_inner_ids(const struct process_identity *identity, struct known_threads *known)
{
    if (!identity->in_pid_namespace) {
        return 0;
    }
    known->inner_ids = calloc(known->tasks.count, sizeof(*known->inner_ids));
    if (known->inner_ids == NULL) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < known->tasks.count; i++) {
        /* One that has ended meanwhile keeps 0, which is nobody's. */
        (void)process_task_inner_id(ROOT_HOST, identity->pid, known->tasks.tids[i],
                                    &known->inner_ids[i]);
    }
    return 0;
}

/* Where glibc knows of as many threads as the kernel does, its list is the kernel's, and a
 * directory of ten thousand entries need not be read. */
static bool take_glibc_s(const struct process_identity *identity, struct known_threads *known)
{
    const struct glibc_threads *glibc = &known->glibc;
    bool has_first = false;
    if (known->glibc_error != 0 || !glibc->complete || identity->in_pid_namespace ||
        glibc->count != identity->threads) {
        return false;
    }
    pid_t *tids = own_memory_zeros(glibc->count, sizeof(*tids));
    for (size_t i = 0; tids != NULL && i < glibc->count; i++) {
        tids[i] = glibc->threads[i].tid;
        has_first |= tids[i] == identity->pid;
    }
    if (!has_first) {
        free(tids);
        return false;
    }
    known->tasks = (struct process_tasks){tids, glibc->count};
    return true;
}

void known_threads_begin(const struct process_identity *identity,
                         const struct remote_library *files, const struct process_maps *maps,
                         bool look_outside, struct known_threads *ret_known)
{
    struct glibc_libraries libraries = {files[0], files[1], files[2]};
    struct glibc_layout layout;
    ret_known->tasks = (struct process_tasks){0};
    ret_known->glibc = (struct glibc_threads){0};
    ret_known->inner_ids = NULL;
    ret_known->tasks_error = 0;
    ret_known->library = (struct library_seen){.file = files[3]};
    look_at_library(identity->memory_tid, look_outside, &ret_known->library);
    int result = glibc_layout_read(identity->memory_tid, &libraries, &layout);
    if (result == 0) {
        result = process_walk_begin(identity->memory_tid, &layout, maps, &ret_known->walk);
    }
    ret_known->glibc_error = result;
}

void known_threads_on(struct known_threads *known)
{
    if (known->glibc_error == 0) {
        process_walk_on(&known->walk);
    }
}

void known_threads_end(const struct process_identity *identity, bool every_thread,
                       struct known_threads *known)
{
    if (known->glibc_error == 0) {
        known->glibc_error = process_walk_end(&known->walk, &known->glibc);
    }
    if (every_thread || !take_glibc_s(identity, known)) {
        known->tasks_error = process_list_tasks(ROOT_HOST, identity->pid, &known->tasks);
        if (known->tasks_error == 0) {
            known->tasks_error = read_inner_ids(identity, known);
        }
    }
}

void known_threads_free(struct known_threads *known)
{
    process_free_tasks(&known->tasks);
    process_free_descriptors(&known->glibc);
    free(known->inner_ids);
}
