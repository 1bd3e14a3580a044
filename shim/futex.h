/* The two futex operations that are needed here, on a word of this process.
 *
 * Made directly: there is no such function in libc. errno is changed. Any thread, after fork,
 * in a signal handler.
 */
#ifndef THPFIX_SHIM_FUTEX_H
#define THPFIX_SHIM_FUTEX_H

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S UINT64_C(1000000000)

/* Of the clock that futex_wait goes by. Not clock_gettime(3): other preloaded libraries like to
 * replace it with one that tells another time. */
static inline uint64_t futex_now_ns(void)
{
    struct timespec now = {0, 0};
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* Until woken, or the word has changed, or a signal came: 0. -ETIMEDOUT, or another
 * -errno where the kernel does not let us wait at all. UINT64_MAX: no deadline. */
static inline int futex_wait(uint32_t *word, uint32_t expected, uint64_t deadline_ns)
{
    const struct timespec deadline = {
        .tv_sec = (time_t)(deadline_ns / NS_PER_S),
        .tv_nsec = (long)(deadline_ns % NS_PER_S),
    };
    /* WAIT_BITSET takes a point in time, so that signals do not prolong the wait. */
    const long result =
        syscall(SYS_futex, word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, expected,
                deadline_ns == UINT64_MAX ? NULL : &deadline, NULL, FUTEX_BITSET_MATCH_ANY);
    if (result == 0 || errno == EAGAIN || errno == EINTR) {
        return 0;
    }
    return -errno;
}

static inline void futex_wake(uint32_t *word, int count)
{
    syscall(SYS_futex, word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, count, NULL, NULL, 0);
}

#endif
