/* Threads of the library's own, which the program does not notice: detached, with small
 * stacks, and all signals blocked from the first. Made only where a configuration asks for
 * them. */
#ifndef THPFIX_SHIM_QUIET_THREAD_H
#define THPFIX_SHIM_QUIET_THREAD_H

/* Starts up to that many, past our own pthread_create; returns how many there are.
 * Allocates, as pthread_create does: not inside malloc, nor in a signal handler. */
unsigned quiet_threads_start(unsigned count, void *(*routine)(void *), void *argument);

/* For the routine: the thread's name, of at most 15 bytes. */
void quiet_thread_name(const char *name);

/* For the routine: nice 19, whatever the thread that started it had. Not SCHED_IDLE: the
 * lock on the process's mappings is held while a page is made, and who holds it must get
 * some time on a busy machine, too. */
void quiet_thread_lower_priority(void);

#endif
