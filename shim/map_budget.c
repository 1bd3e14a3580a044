#include "shim/map_budget.h"

#include "detect/root_read.h"
#include "detect/thp_parse.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/* Counting 60000 mappings takes some 25 ms, as long as a thousand creations. */
#define LEAST_CALLS        ((size_t)1024)
#define CALLS_WITHOUT_ROOM 8192L

/* How often may be asked before mappings are counted again. */
static _Atomic long allowance;
/* By the last count; stand while a thread counts. */
static _Atomic bool flags_allowed = true, guards_allowed = true;
/* The process a thread of which counts, 0: none. In a child forked meanwhile it is another's. */
static _Atomic pid_t counting;

struct map_room map_budget_room(size_t mappings, size_t limit)
{
    struct map_room room = {0, false};
    size_t reserve = limit / 8, for_flags = limit / 4;
    if (mappings >= limit - reserve) {
        return room;
    }
    size_t left = limit - reserve - mappings;
    size_t calls = left / 4; /* two entries each */
    if (calls < LEAST_CALLS) {
        return room;
    }
    size_t calls_for_guards = left > for_flags ? (left - for_flags) / 2 : 0;
    room.guards = calls_for_guards >= LEAST_CALLS / 2;
    room.calls = room.guards && calls_for_guards < calls ? calls_for_guards : calls;
    return room;
}

static bool count_mappings(size_t *ret_mappings)
{
    static char buffer[4096]; /* only by the thread that counts */
    /* Not /proc/self: that is the first thread, which may have ended. Before Linux 3.17
     * there is nothing else. */
    int fd = root_open(ROOT_HOST, "/proc/thread-self/maps");
    if (fd == -ENOENT) {
        fd = root_open(ROOT_HOST, "/proc/self/maps");
    }
    if (fd < 0) {
        return false;
    }
    size_t mappings = 0;
    ssize_t length;
    while ((length = root_read_some(fd, buffer, sizeof(buffer))) > 0) {
        for (ssize_t i = 0; i < length; i++) {
            mappings += buffer[i] == '\n';
        }
    }
    root_close(fd);
    if (length < 0 || mappings == 0) {
        return false;
    }
    *ret_mappings = mappings;
    return true;
}

static void count_anew(void)
{
    char text[32];
    size_t limit = 65530, mappings;
    ssize_t length = root_read(ROOT_HOST, "/proc/sys/vm/max_map_count", text, sizeof(text));
    if (length > 0) {
        (void)thp_parse_number(text, (size_t)length, &limit);
    }
    /* Without /proc there is no telling: as before, until a creation fails. */
    if (!count_mappings(&mappings)) {
        atomic_store_explicit(&allowance, (long)LEAST_CALLS, memory_order_relaxed);
        return;
    }
    struct map_room room = map_budget_room(mappings, limit);
    atomic_store_explicit(&flags_allowed, room.calls != 0, memory_order_relaxed);
    atomic_store_explicit(&guards_allowed, room.guards, memory_order_relaxed);
    atomic_store_explicit(&allowance, room.calls != 0 ? (long)room.calls : CALLS_WITHOUT_ROOM,
                          memory_order_relaxed);
}

static bool begin_to_count(void)
{
    pid_t self = (pid_t)syscall(SYS_getpid);
    pid_t other = atomic_load_explicit(&counting, memory_order_relaxed);
    return other != self &&
           atomic_compare_exchange_strong_explicit(&counting, &other, self, memory_order_acquire,
                                                   memory_order_relaxed);
}

bool map_budget_has_room(void)
{
    return atomic_load_explicit(&flags_allowed, memory_order_relaxed);
}

bool map_budget_allows(enum map_need need)
{
    if (need == MAP_GUARD && !atomic_load_explicit(&guards_allowed, memory_order_relaxed) &&
        map_budget_has_room()) {
        return false; /* the thread will ask for a flag: once is enough */
    }
    if (atomic_fetch_sub_explicit(&allowance, 1, memory_order_relaxed) <= 0 && begin_to_count()) {
        count_anew();
        atomic_store_explicit(&counting, 0, memory_order_release);
    }
    return atomic_load_explicit(need == MAP_GUARD ? &guards_allowed : &flags_allowed,
                                memory_order_relaxed);
}

void map_budget_doubt(void)
{
    atomic_store_explicit(&allowance, 0, memory_order_relaxed);
}
