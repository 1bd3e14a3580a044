#include "detect/process_descriptors.h"
#include "detect/process_fetch.h"
#include "detect/process_memory.h"
#include "detect/units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DESCRIPTOR_BYTES_MAX ((uint32_t)8192)
#define WORDS_MAX            (DESCRIPTOR_BYTES_MAX / sizeof(uint64_t))
#define SAMPLES              16
#define HOPS_MAX             ((size_t)1 << 22) /* the most threads a kernel can have */
#define TRIES                3
/* What lies above a descriptor in its stack: itself, and static TLS on some machines. */
#define ABOVE_MAX ((uint64_t)64 * MIB)

bool process_bounds_fit(const uint64_t words[DESCRIPTOR_BOUND_WORDS], uint64_t descriptor,
                        uint64_t *ret_guard_bytes)
{
    const uint64_t page = 4096; /* of all pages the smallest */
    uint64_t base = words[0], size = words[1], end;
    if (base == 0 || size == 0 || __builtin_add_overflow(base, size, &end) || descriptor <= base ||
        descriptor >= end || end - descriptor > ABOVE_MAX) {
        return false;
    }
    /* glibc 2.42 tells in between how the guard was made: a small number. */
    uint64_t guard = words[2] % page == 0 ? words[2] : words[3];
    if (guard % page != 0 || guard >= size) {
        return false;
    }
    *ret_guard_bytes = guard;
    return true;
}

struct walk {
    pid_t pid;
    const struct glibc_layout *layout;
    ptrdiff_t bounds_offset; /* -1: not found */
    uint32_t from, to;       /* what is read of each descriptor */
    const struct process_maps *maps;
    struct process_fetch *fetch;
    struct glibc_threads *threads;
};

static uint64_t word_at(const unsigned char *descriptor, uint32_t offset)
{
    uint64_t word;
    memcpy(&word, descriptor + offset, sizeof(word));
    return word;
}

/* Strikes out the places that do not fit this descriptor. One that no place fits tells
 * nothing: the first thread's has no stack. */
static bool strike_out(const unsigned char *bytes, size_t words, uint64_t descriptor,
                       bool whole_pages, bool *fits)
{
    bool kept[WORDS_MAX] = {false}, any = false;
    for (size_t i = 0; i + DESCRIPTOR_BOUND_WORDS <= words; i++) {
        uint64_t at[DESCRIPTOR_BOUND_WORDS], guard;
        memcpy(at, bytes + i * sizeof(*at), sizeof(at));
        kept[i] = fits[i] && (!whole_pages || at[0] % 4096 == 0) &&
                  process_bounds_fit(at, descriptor, &guard);
        any |= kept[i];
    }
    if (any || whole_pages) {
        memcpy(fits, kept, words * sizeof(*fits));
    }
    return any;
}

/* Looks at some descriptors of a list. Returns how many told something. */
static size_t sample(const struct walk *walk, uint64_t head, bool whole_pages, bool *fits)
{
    const struct glibc_layout *layout = walk->layout;
    unsigned char bytes[DESCRIPTOR_BYTES_MAX];
    uint64_t node;
    size_t telling = 0;
    if (head == 0 || process_memory_read(walk->pid, head, &node, sizeof(node)) != 0) {
        return 0;
    }
    for (size_t i = 0; i < SAMPLES && node != head; i++) {
        uint64_t descriptor = node - layout->list_offset;
        if (process_memory_read(walk->pid, descriptor, bytes, layout->descriptor_bytes) != 0) {
            break;
        }
        telling += strike_out(bytes, layout->descriptor_bytes / sizeof(uint64_t), descriptor,
                              whole_pages, fits);
        node = word_at(bytes, layout->list_offset);
    }
    return telling;
}

/* glibc's own stacks are whole pages; a caller may supply any, so those are asked only
 * where there are no others. */
static void find_bounds(struct walk *walk)
{
    size_t words = walk->layout->descriptor_bytes / sizeof(uint64_t), found = 0;
    bool fits[WORDS_MAX];
    memset(fits, true, sizeof(fits));
    walk->bounds_offset = -1;
    if (sample(walk, walk->layout->own_list, true, fits) == 0) {
        memset(fits, true, sizeof(fits));
        if (sample(walk, walk->layout->callers_list, false, fits) == 0) {
            return;
        }
    }
    for (size_t i = 0; i + DESCRIPTOR_BOUND_WORDS <= words; i++) {
        if (fits[i]) {
            walk->bounds_offset = (ptrdiff_t)(i * sizeof(uint64_t));
            found++;
        }
    }
    if (found != 1) {
        walk->bounds_offset = -1;
    }
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t most(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static void choose_span(struct walk *walk)
{
    const struct glibc_layout *layout = walk->layout;
    uint32_t list_end = layout->list_offset + 2 * (uint32_t)sizeof(uint64_t);
    uint32_t tid_end = layout->tid_offset + (uint32_t)sizeof(int32_t);
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
        size_t room = threads->room != 0 ? threads->room * 2 : 64;
        struct glibc_thread *more = realloc(threads->threads, room * sizeof(*more));
        if (more == NULL) {
            return -ENOMEM;
        }
        threads->threads = more;
        threads->room = room;
    }
    threads->threads[threads->count++] = *thread;
    return 0;
}

/* bytes: of the descriptor, from walk->from on. */
static struct glibc_thread understand(const struct walk *walk, const unsigned char *bytes,
                                      uint64_t descriptor, bool callers_stack)
{
    struct glibc_thread thread = {.descriptor = descriptor, .callers_stack = callers_stack};
    int32_t tid;
    memcpy(&tid, bytes + walk->layout->tid_offset - walk->from, sizeof(tid));
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

/* 1: the list was read to its end; 0: it changed meanwhile; -errno. */
static int walk_list(const struct walk *walk, uint64_t head, bool callers_stack)
{
    const unsigned char *bytes;
    const struct glibc_layout *layout = walk->layout;
    uint32_t list_offset = layout->list_offset - walk->from;
    uint64_t node, before = head;
    int result = process_memory_read(walk->pid, head, &node, sizeof(node));
    process_fetch_begin(walk->fetch, walk->pid, walk->maps, walk->to - walk->from);
    for (size_t hops = 0; result == 0 && node != head; hops++) {
        uint64_t descriptor = node - layout->list_offset;
        if (hops == HOPS_MAX ||
            process_fetch_next(walk->fetch, descriptor + walk->from, &bytes) != 0 ||
            word_at(bytes, list_offset + (uint32_t)sizeof(uint64_t)) != before) {
            return 0;
        }
        struct glibc_thread thread = understand(walk, bytes, descriptor, callers_stack);
        if (thread.tid > 0) {
            result = add(walk->threads, &thread);
        }
        before = node;
        node = word_at(bytes, list_offset);
    }
    return result != 0 ? result : 1;
}

static int walk_both(struct walk *walk)
{
    uint64_t heads[] = {walk->layout->own_list, walk->layout->callers_list};
    walk->threads->count = 0;
    walk->threads->complete = true;
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        int result = heads[i] != 0 ? walk_list(walk, heads[i], i == 1) : 1;
        if (result < 0) {
            return result;
        }
        walk->threads->complete &= result == 1;
    }
    return 0;
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

int process_walk_descriptors(pid_t pid, const struct glibc_layout *layout,
                             const struct process_maps *maps, struct glibc_threads *ret_threads)
{
    struct glibc_threads threads = {0};
    struct process_fetch fetch;
    struct walk walk = {
        .pid = pid, .layout = layout, .maps = maps, .fetch = &fetch, .threads = &threads};
    uint64_t needed = (uint64_t)most(layout->list_offset, layout->tid_offset) + 16;
    if (layout->own_list == 0 || layout->descriptor_bytes > DESCRIPTOR_BYTES_MAX ||
        needed > layout->descriptor_bytes) {
        return -EINVAL;
    }
    int result = 0;
    for (int tries = 0; tries < TRIES && result == 0 && !threads.complete; tries++) {
        find_bounds(&walk);
        choose_span(&walk);
        result = walk_both(&walk);
    }
    if (result != 0) {
        process_free_descriptors(&threads);
        return result;
    }
    sort_by_tid(&threads);
    *ret_threads = threads;
    return 0;
}

void process_free_descriptors(struct glibc_threads *threads)
{
    free(threads->threads);
    *threads = (struct glibc_threads){0};
}
