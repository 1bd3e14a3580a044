#include "shim/sites/table.h"

#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define INDEX_ROOM  ((size_t)2 * TABLE_SITES)
#define THREAD_WAYS 16 /* places that a thread's entry may be in */

/* All of it zeros in the beginning: what is not used takes no memory. */
struct sites thpfix_sites;
static struct sites_site sites[TABLE_SITES];
static struct sites_thread threads[TABLE_THREADS];
static uint16_t site_index[INDEX_ROOM]; /* by hash of the frames: number + 1 */

_Static_assert(TABLE_SITES < UINT16_MAX, "a site's number fits an entry of a thread");

void table_start(uint64_t pid)
{
    thpfix_sites.version = SITES_VERSION;
    thpfix_sites.size_bytes = sizeof(thpfix_sites);
    thpfix_sites.site_bytes = sizeof(struct sites_site);
    thpfix_sites.thread_bytes = sizeof(struct sites_thread);
    thpfix_sites.sites = (uintptr_t)sites;
    thpfix_sites.threads = (uintptr_t)threads;
    thpfix_sites.thread_room = TABLE_THREADS;
    thpfix_sites.pid = pid;
    __atomic_store_n(&thpfix_sites.magic, SITES_MAGIC, __ATOMIC_RELEASE);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint64_t hash_frames(const uint64_t *frames, size_t count)
{
    uint64_t hash = count;
    for (size_t i = 0; i < count; i++) {
        hash = mix(hash, frames[i]);
    }
    return hash;
}

uint32_t table_find_site(const uint64_t *frames, size_t count, bool cut)
{
    size_t at = hash_frames(frames, count) % INDEX_ROOM, bytes = count * sizeof(frames[0]);
    for (; site_index[at] != 0; at = (at + 1) % INDEX_ROOM) {
        const struct sites_site *site = &sites[site_index[at] - 1];
        if (site->frame_count == count && site->cut == cut &&
            memcmp(site->frames, frames, bytes) == 0) {
            return site_index[at];
        }
    }
    uint64_t number = thpfix_sites.site_count;
    if (number == TABLE_SITES) {
        return 0;
    }
    struct sites_site *site = &sites[number];
    memcpy(site->frames, frames, bytes);
    site->frame_count = (uint32_t)count;
    site->cut = cut;
    site->least_stack_bytes = site->least_guard_bytes = UINT64_MAX;
    site_index[at] = (uint16_t)(number + 1);
    __atomic_store_n(&thpfix_sites.site_count, number + 1, __ATOMIC_RELEASE);
    return (uint32_t)number + 1;
}

static void lower(uint64_t *least, uint64_t value)
{
    uint64_t before = __atomic_load_n(least, __ATOMIC_RELAXED);
    while (value < before && !__atomic_compare_exchange_n(least, &before, value, true,
                                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

static void raise_to(uint64_t *most, uint64_t value)
{
    uint64_t before = __atomic_load_n(most, __ATOMIC_RELAXED);
    while (value > before && !__atomic_compare_exchange_n(most, &before, value, true,
                                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

void table_count(uint32_t site_and_one, const struct sites_request *request)
{
    struct sites_site *site = &sites[site_and_one - 1];
    if (request->has_attr) {
        lower(&site->least_stack_bytes, request->stack_bytes);
        raise_to(&site->most_stack_bytes, request->stack_bytes);
        lower(&site->least_guard_bytes, request->guard_bytes);
        raise_to(&site->most_guard_bytes, request->guard_bytes);
    } else {
        (void)__atomic_fetch_add(&site->default_sizes, 1, __ATOMIC_RELAXED);
    }
    if (request->callers_stack) {
        (void)__atomic_fetch_add(&site->callers_stacks, 1, __ATOMIC_RELAXED);
    }
    (void)__atomic_fetch_add(&site->created, 1, __ATOMIC_RELAXED);
}

void table_enter_thread(uint32_t site)
{
    uint64_t descriptor = (uint64_t)pthread_self() / 16;
    uint64_t owner = descriptor << 16 | site;
    size_t start = mix(0, descriptor) % TABLE_THREADS, chosen = start;
    /* glibc uses the memory of threads that have ended again, so that one's own old place,
     * if there is any, is the best. With none left, a neighbour's is taken. */
    for (size_t i = 0; i < THREAD_WAYS; i++) {
        size_t at = (start + i) % TABLE_THREADS;
        uint64_t before = __atomic_load_n(&threads[at].owner, __ATOMIC_RELAXED);
        if (before >> 16 == descriptor ||
            (before == 0 && __atomic_compare_exchange_n(&threads[at].owner, &before, owner, false,
                                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))) {
            chosen = at;
            break;
        }
    }
    __atomic_store_n(&threads[chosen].owner, owner, __ATOMIC_RELAXED);
    __atomic_store_n(&threads[chosen].thread, (uint64_t)syscall(SYS_gettid), __ATOMIC_RELAXED);
}
