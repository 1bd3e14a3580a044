/* THPFIX_PRETOUCH_HEAP: populates memory that the program has put under MADV_HUGEPAGE.
 *
 * Ranges that follow one another count as one (pretouch_run.h), from THPFIX_PRETOUCH_MIN on.
 * `now`: before the program's call returns, by the calling thread and helpers.
 * `background`: by threads that end when the range is done; the only threads that the
 * library ever has. They block all signals, are called thpfix-pretouch, give way to
 * whoever wants their CPU (quiet_thread.h), and stop where a memory limit is near, where the
 * range was unmapped, protected or given back, and with the process. A forked child has
 * none of them.
 *
 * What is no memory (a mapped file), is left alone. So is, in the background, what the
 * malloc in use advises itself: it may hold its locks, and pthread_create allocates. For
 * the same reason a range must not be advised in a signal handler.
 */
#ifndef THPFIX_SHIM_PRETOUCH_HEAP_H
#define THPFIX_SHIM_PRETOUCH_HEAP_H

#include <stdbool.h>
#include <stddef.h>

/* Is anything asked for? Then looks once at what must not be looked at later: which object
 * malloc is in, and what the kernel can do. While the library starts. */
bool pretouch_heap_start(void);

/* After a successful madvise of the program's. caller: an address in the code that called
 * it. errno untouched. Any thread, after fork. */
void pretouch_heap_advised(void *address, size_t bytes, int advice, const void *caller);

#endif
