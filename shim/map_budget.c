#include "shim/map_budget.h"

#include "detect/root_read.h"
#include "detect/thp_parse.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#define LEAST_SHARE ((size_t)1024) /* counting 60000 mappings takes some 25 ms */

/* How often may be asked before mappings are counted again. */
static _Atomic long allowance;
static _Atomic bool allowed = true; /* the last answer; stands while a thread counts */
/* The process a thread of which counts, 0: none. In a child forked meanwhile it is another's. */
static _Atomic pid_t counting;

size_t map_budget_share(size_t mappings, size_t limit)
{
    size_t reserve = limit / 8;
    if (mappings >= limit - reserve) {
        return 0;
    }
    size_t share = (limit - reserve - mappings) / 4; /* two entries each */
    return share < LEAST_SHARE ? 0 : share;
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

static size_t current_share(void)
{
    char text[32];
    size_t limit = 65530, mappings;
    ssize_t length = root_read(ROOT_HOST, "/proc/sys/vm/max_map_count", text, sizeof(text));
    if (length > 0) {
        (void)thp_parse_number(text, (size_t)length, &limit);
    }
    /* Without /proc there is no telling: as before, until a creation fails. */
    return count_mappings(&mappings) ? map_budget_share(mappings, limit) : LEAST_SHARE;
}

static bool begin_to_count(void)
{
    pid_t self = (pid_t)syscall(SYS_getpid);
    pid_t other = atomic_load_explicit(&counting, memory_order_relaxed);
    return other != self &&
           atomic_compare_exchange_strong_explicit(&counting, &other, self, memory_order_acquire,
                                                   memory_order_relaxed);
}

bool map_budget_allows(void)
{
    if (atomic_fetch_sub_explicit(&allowance, 1, memory_order_relaxed) <= 0 && begin_to_count()) {
        size_t share = current_share();
        atomic_store_explicit(&allowed, share != 0, memory_order_relaxed);
        atomic_store_explicit(&allowance, (long)(share != 0 ? share : LEAST_SHARE),
                              memory_order_relaxed);
        atomic_store_explicit(&counting, 0, memory_order_release);
    }
    return atomic_load_explicit(&allowed, memory_order_relaxed);
}

void map_budget_doubt(void)
{
    atomic_store_explicit(&allowance, 0, memory_order_relaxed);
}
