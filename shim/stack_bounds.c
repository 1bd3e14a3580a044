#include "shim/stack_bounds.h"

#include "detect/units.h"

#include <pthread.h>
#include <stdatomic.h>

/* Words of the thread descriptor that exist in every supported glibc. The descriptor lies
 * below the top of the stack, so all of them are mapped. */
#if UINTPTR_MAX > UINT32_MAX
#define DESCRIPTOR_WORDS ((size_t)1776 / sizeof(uintptr_t))
#else
#define DESCRIPTOR_WORDS ((size_t)1120 / sizeof(uintptr_t))
#endif
#define WORDS_NEEDED ((size_t)4) /* base, size, guard; or base, size, a mode, guard */

/* What lies between descriptor and end of the stack: the descriptor itself, and on
 * some architectures static TLS. With more than this it is no thread stack. */
#define MAX_ABOVE_DESCRIPTOR ((uintptr_t)64 * MIB)

static bool prove(const uintptr_t *words, const struct stack_bounds_thread *thread,
                  struct stack_bounds *ret_bounds)
{
    uintptr_t base = words[0], size = words[1], end;
    size_t page = thread->page_bytes;
    if (base == 0 || base % page != 0 || base >= thread->stack_pointer ||
        __builtin_add_overflow(base, size, &end) || !align_up(end, page, &end)) {
        return false;
    }
    if (thread->stack_pointer >= thread->descriptor || thread->descriptor >= end ||
        end - thread->descriptor > MAX_ABOVE_DESCRIPTOR) {
        return false;
    }
    /* A small number in the guard's place is no guard: glibc 2.42 tells there how the
     * guard was made. */
    uintptr_t guard = words[2] % page == 0 ? words[2] : words[3];
    if (guard % page != 0 || guard > thread->stack_pointer - base) {
        return false;
    }
    *ret_bounds = (struct stack_bounds){base, end, guard};
    return true;
}

ptrdiff_t stack_bounds_find(const uintptr_t *words, size_t count,
                            const struct stack_bounds_thread *thread,
                            struct stack_bounds *ret_bounds)
{
    for (size_t i = 0; i + WORDS_NEEDED <= count; i++) {
        if (prove(words + i, thread, ret_bounds)) {
            return (ptrdiff_t)i;
        }
    }
    return -1;
}

/* Where the words were found; the same in every thread of a process. -1: not yet. Any thread may
 * write it, and all write the same. */
static _Atomic ptrdiff_t found_at = -1;

/* The thread sanitizer takes a new thread's descriptor for written by that thread. The words read
 * here are the creator's: glibc writes them before the clone. */
__attribute__((no_sanitize("thread"))) bool stack_bounds_of_new(pthread_t thread, size_t page_bytes,
                                                                struct stack_bounds *ret_bounds)
{
    /* Its stack pointer is somewhere below the descriptor. */
    struct stack_bounds_thread new_thread = {
        .descriptor = (uintptr_t)thread,
        .stack_pointer = (uintptr_t)thread - 1,
        .page_bytes = page_bytes,
    };
    ptrdiff_t at = atomic_load_explicit(&found_at, memory_order_relaxed);
    if (at < 0) {
        return false;
    }
    uintptr_t words[WORDS_NEEDED];
    for (size_t i = 0; i < WORDS_NEEDED; i++) {
        words[i] = ((const uintptr_t *)thread)[(size_t)at + i];
    }
    return prove(words, &new_thread, ret_bounds);
}

bool stack_bounds_of_caller(size_t page_bytes, struct stack_bounds *ret_bounds)
{
    struct stack_bounds_thread thread = {
        .descriptor = (uintptr_t)pthread_self(),
        .stack_pointer = (uintptr_t)__builtin_frame_address(0),
        .page_bytes = page_bytes,
    };
    const uintptr_t *words = (const uintptr_t *)thread.descriptor;

    ptrdiff_t at = atomic_load_explicit(&found_at, memory_order_relaxed);
    if (at >= 0) {
        return prove(words + at, &thread, ret_bounds);
    }
    at = stack_bounds_find(words, DESCRIPTOR_WORDS, &thread, ret_bounds);
    if (at < 0) {
        return false;
    }
    atomic_store_explicit(&found_at, at, memory_order_relaxed);
    return true;
}
