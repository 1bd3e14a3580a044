#include "detect/process_fetch.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/uio.h>

void process_fetch_begin(struct process_fetch *fetch, pid_t pid, const struct process_maps *maps,
                         size_t piece_bytes)
{
    fetch->pid = pid;
    fetch->maps = maps;
    fetch->piece_bytes = piece_bytes;
    fetch->addresses[0] = 0;
    fetch->count = fetch->at = 0;
    fetch->wanted = 1;
}

static bool can_hold(const struct memory_map *map)
{
    return map->kind == MEMORY_ANONYMOUS && map->readable && map->writable;
}

/* Adds what lies in the mappings above, or below, as address does in its own. It must be
 * sure that the process has written there: a page that is read where none was is made. So
 * only mappings of the very same size count, as stacks made by one caller are. */
static void add_alike(struct process_fetch *fetch, uint64_t address, bool upwards)
{
    const struct process_maps *maps = fetch->maps;
    size_t i = process_maps_at(maps, address), room = FETCH_BYTES / fetch->piece_bytes;
    size_t wanted = fetch->wanted < room ? fetch->wanted : room;
    wanted = wanted < FETCH_PIECES ? wanted : FETCH_PIECES;
    if (i == maps->count || maps->maps[i].start > address || !can_hold(&maps->maps[i])) {
        return;
    }
    uint64_t size = maps->maps[i].end - maps->maps[i].start, above = maps->maps[i].end - address;
    /* Between two stacks lies a guard, or more than one. */
    for (size_t looks = 0; looks < 4 * wanted && fetch->count < wanted; looks++) {
        if (upwards ? ++i == maps->count : i-- == 0) {
            return;
        }
        const struct memory_map *map = &maps->maps[i];
        if (can_hold(map) && map->end - map->start == size) {
            fetch->addresses[fetch->count++] = map->end - above;
        }
    }
}

/* What could not be read, and all behind it, is left for later. */
static int read_pieces(struct process_fetch *fetch)
{
    struct iovec remote[FETCH_PIECES];
    struct iovec local = {fetch->bytes, fetch->count * fetch->piece_bytes};
    for (size_t i = 0; i < fetch->count; i++) {
        remote[i].iov_base = (void *)(uintptr_t)fetch->addresses[i];
        remote[i].iov_len = fetch->piece_bytes;
    }
    ssize_t length = process_vm_readv(fetch->pid, &local, 1, remote, fetch->count, 0);
    fetch->count = length > 0 ? (size_t)length / fetch->piece_bytes : 0;
    fetch->at = 0;
    if (length < 0) {
        return -errno;
    }
    return fetch->count > 0 ? 0 : -EFAULT;
}

int process_fetch_next(struct process_fetch *fetch, uint64_t address,
                       const unsigned char **ret_bytes)
{
    bool was_last = fetch->at + 1 == fetch->count;
    uint64_t before = fetch->addresses[fetch->at];
    fetch->at++;
    if (fetch->at >= fetch->count || fetch->addresses[fetch->at] != address) {
        /* All came as expected: more of them next time. */
        fetch->wanted = was_last ? 2 * fetch->wanted : 1;
        fetch->addresses[0] = address;
        fetch->count = 1;
        if (fetch->maps != NULL && fetch->wanted > 1) {
            add_alike(fetch, address, address > before);
        }
        fetch->wanted = fetch->count;
        int result = read_pieces(fetch);
        if (result != 0) {
            return result;
        }
    }
    *ret_bytes = fetch->bytes + fetch->at * fetch->piece_bytes;
    return 0;
}
