/* Threads of the library's own, which the program does not notice: detached, with small
 * stacks, and all signals blocked from the first. Made only where a configuration asks for
 * them. */
#ifndef THPFIX_SHIM_QUIET_THREAD_H
#define THPFIX_SHIM_QUIET_THREAD_H

#include <stdint.h>

/* Starts up to that many, past our own pthread_create; returns how many there are.
 * Allocates, as pthread_create does: not inside malloc, nor in a signal handler. */
unsigned quiet_threads_start(unsigned count, void *(*routine)(void *), void *argument);

/* For the routine: the thread's name, of at most 15 bytes. */
void quiet_thread_name(const char *name);

/* What the calling thread has had so far, in ns. */
struct quiet_time {
    uint64_t lived_ns, run_ns;
};

struct quiet_time quiet_thread_time(void);

/* For the routine, after each piece of work, less than a ms of it. Where the thread had to wait
 * since *since, for a CPU or for anything else, somebody else wants it: sleeps much longer
 * than that, at most a second. Sets *since anew. */
void quiet_thread_back_off(struct quiet_time *since);

/* For the routine: nice 5, whatever the thread that started it had. Not 19, nor SCHED_IDLE:
 * the lock on the process's mappings is held while a page is made, and on a busy machine a
 * program that wanted it waited 6 s for such a thread to run again. What makes it give
 * way is quiet_thread_back_off: the mean wait went from 30 ms and more to about one. */
void quiet_thread_lower_priority(void);

#endif
