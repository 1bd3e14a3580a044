#include "detect/process_descriptors.h"
#include "detect/own_memory.h"
#include "detect/process_memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HOPS_MAX ((size_t)1 << 22) /* the most threads a kernel can have */
#define TRIES    3

static uint64_t word_at(const unsigned char *descriptor, uint32_t offset)
{
    uint64_t word;
    memcpy(&word, descriptor + offset, sizeof(word));
    return word;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t most(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* What is read of each descriptor. */
static void choose_span(struct process_walk *walk)
{
    const struct glibc_layout *layout = &walk->layout;
    uint32_t list_end = layout->list_offset + 2 * (uint32_t)sizeof(uint64_t);
    uint32_t tid_end = layout->tid_offset + (uint32_t)sizeof(int32_t);
    walk->bounds_offset = process_bounds_find(walk->pid, layout);
    walk->from = least(layout->list_offset, layout->tid_offset);
    walk->to = most(list_end, tid_end);
    if (walk->bounds_offset >= 0) {
        uint32_t at = (uint32_t)walk->bounds_offset;
        walk->from = least(walk->from, at);
        walk->to = most(walk->to, at + DESCRIPTOR_BOUND_WORDS * (uint32_t)sizeof(uint64_t));
    }
}

static int add(struct glibc_threads *threads, const struct glibc_thread *thread)
{
    if (threads->count == threads->room) {
        struct glibc_thread *more =
            own_memory_grow(threads->threads, &threads->room, 64, sizeof(*more));
        if (more == NULL) {
            return -ENOMEM;
        }
        threads->threads = more;
    }
    threads->threads[threads->count++] = *thread;
    return 0;
}

/* bytes: of the descriptor, from walk->from on. */
static struct glibc_thread understand(const struct process_walk *walk, const unsigned char *bytes,
                                      uint64_t descriptor)
{
    struct glibc_thread thread = {.descriptor = descriptor, .callers_stack = walk->list == 1};
    int32_t tid;
    memcpy(&tid, bytes + walk->layout.tid_offset - walk->from, sizeof(tid));
    thread.tid = tid;
    if (walk->bounds_offset >= 0) {
        uint64_t words[DESCRIPTOR_BOUND_WORDS], guard;
        memcpy(words, bytes + (uint32_t)walk->bounds_offset - walk->from, sizeof(words));
        if (process_bounds_fit(words, descriptor, &guard)) {
            thread.base = words[0];
            thread.end = words[0] + words[1];
            thread.guard_bytes = guard;
        }
    }
    return thread;
}

/* To the start of the next list that there is, from list on. 0 or -errno. */
static int enter_list(struct process_walk *walk, unsigned list)
{
    const uint64_t heads[WALK_LISTS] = {walk->layout.own_list, walk->layout.callers_list};
    for (; list < WALK_LISTS && heads[list] == 0; list++) {
    }
    walk->list = list;
    if (list == WALK_LISTS) {
        return 0;
    }
    walk->head = walk->before = heads[list];
    walk->hops = 0;
    process_fetch_begin(&walk->fetch, walk->pid, walk->maps, walk->to - walk->from);
    return process_memory_read(walk->pid, walk->head, &walk->node, sizeof(walk->node));
}

/* From one descriptor to the next. 0, or -errno; a list that has changed meanwhile is left. */
static int hop(struct process_walk *walk)
{
    const unsigned char *bytes;
    uint32_t list_offset = walk->layout.list_offset - walk->from;
    uint64_t descriptor = walk->node - walk->layout.list_offset;
    if (walk->hops++ == HOPS_MAX ||
        process_fetch_next(&walk->fetch, descriptor + walk->from, &bytes) != 0 ||
        word_at(bytes, list_offset + (uint32_t)sizeof(uint64_t)) != walk->before) {
        walk->threads.complete = false;
        return enter_list(walk, walk->list + 1);
    }
    struct glibc_thread thread = understand(walk, bytes, descriptor);
    walk->before = walk->node;
    walk->node = word_at(bytes, list_offset);
    return thread.tid > 0 ? add(&walk->threads, &thread) : 0;
}

/* Is the mapping that holds the address told already? They are told in ascending order. */
static bool is_told(const struct process_maps *maps, uint64_t address)
{
    return maps->count > 0 && maps->maps[maps->count - 1].end > address;
}

static int walk_on(struct process_walk *walk, bool all_told)
{
    int result = 0;
    while (result == 0 && walk->list < WALK_LISTS) {
        if (walk->node == walk->head) {
            result = enter_list(walk, walk->list + 1);
        } else if (all_told || is_told(walk->maps, walk->node)) {
            result = hop(walk);
        } else {
            break;
        }
    }
    return result;
}

static int start(struct process_walk *walk)
{
    walk->threads.count = 0;
    walk->threads.complete = true;
    choose_span(walk);
    return enter_list(walk, 0);
}

int process_walk_begin(pid_t pid, const struct glibc_layout *layout,
                       const struct process_maps *maps, struct process_walk *ret_walk)
{
    uint64_t needed = (uint64_t)most(layout->list_offset, layout->tid_offset) + 16;
    if (layout->own_list == 0 || layout->descriptor_bytes > DESCRIPTOR_BYTES_MAX ||
        needed > layout->descriptor_bytes) {
        return -EINVAL;
    }
    ret_walk->pid = pid;
    ret_walk->layout = *layout;
    ret_walk->maps = maps;
    ret_walk->threads = (struct glibc_threads){0};
    ret_walk->result = start(ret_walk);
    return 0;
}

void process_walk_on(struct process_walk *walk)
{
    if (walk->result == 0) {
        walk->result = walk_on(walk, false);
    }
}

static int compare_threads(const void *left, const void *right)
{
    const struct glibc_thread *a = left, *b = right;
    return (a->tid > b->tid) - (a->tid < b->tid);
}

/* glibc's lists have the newest thread first, which has the highest tid until the kernel's
 * numbers are used up: turning them round is most of the work, or all. */
static void sort_by_tid(struct glibc_threads *threads)
{
    bool is_sorted = true;
    for (size_t i = 0, j = threads->count; i + 1 < j--; i++) {
        struct glibc_thread thread = threads->threads[i];
        threads->threads[i] = threads->threads[j];
        threads->threads[j] = thread;
    }
    for (size_t i = 1; i < threads->count; i++) {
        is_sorted &= compare_threads(&threads->threads[i - 1], &threads->threads[i]) <= 0;
    }
    if (!is_sorted) {
        qsort(threads->threads, threads->count, sizeof(*threads->threads), compare_threads);
    }
}

int process_walk_end(struct process_walk *walk, struct glibc_threads *ret_threads)
{
    int result = walk->result != 0 ? walk->result : walk_on(walk, true);
    for (int tries = 1; tries < TRIES && result == 0 && !walk->threads.complete; tries++) {
        result = start(walk);
        if (result == 0) {
            result = walk_on(walk, true);
        }
    }
    if (result != 0) {
        process_free_descriptors(&walk->threads);
        return result;
    }
    sort_by_tid(&walk->threads);
    *ret_threads = walk->threads;
    return 0;
}

int process_walk_descriptors(pid_t pid, const struct glibc_layout *layout,
                             const struct process_maps *maps, struct glibc_threads *ret_threads)
{
    struct process_walk walk;
    int result = process_walk_begin(pid, layout, maps, &walk);
    return result != 0 ? result : process_walk_end(&walk, ret_threads);
}

void process_free_descriptors(struct glibc_threads *threads)
{
    free(threads->threads);
    *threads = (struct glibc_threads){0};
}
