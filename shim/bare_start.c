#include "shim/bare_start.h"

#include "shim/futex.h"

#include <stdbool.h>

enum {
    NOBODY_STARTS,
    ONE_STARTS,
    ONE_IS_AWAITED,
};

/* About as long as a thread takes to start on a processor that is idle. To sleep and be woken
 * takes longer, above all in a virtual machine. */
#define SPINS 400

static uint32_t state;

static void spin(void)
{
    for (unsigned i = 0; i < SPINS && __atomic_load_n(&state, __ATOMIC_RELAXED) != NOBODY_STARTS;
         i++) {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        __asm__ volatile("yield");
#endif
    }
}

void bare_start_begin(void)
{
    uint32_t expected = NOBODY_STARTS;
    if (__atomic_compare_exchange_n(&state, &expected, ONE_STARTS, false, __ATOMIC_ACQUIRE,
                                    __ATOMIC_RELAXED)) {
        return;
    }
    int saved = errno;
    spin();
    uint64_t deadline_ns = futex_now_ns() + BARE_START_LIMIT_NS;
    /* Also past the deadline it is the caller's turn: the others time out by themselves. */
    while (__atomic_exchange_n(&state, ONE_IS_AWAITED, __ATOMIC_ACQUIRE) != NOBODY_STARTS &&
           futex_wait(&state, ONE_IS_AWAITED, deadline_ns) == 0) {
    }
    errno = saved;
}

void bare_start_end(void)
{
    if (__atomic_exchange_n(&state, NOBODY_STARTS, __ATOMIC_RELEASE) == ONE_IS_AWAITED) {
        int saved = errno;
        futex_wake(&state, 1);
        errno = saved;
    }
}
