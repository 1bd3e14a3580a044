/* One range, populated by one or more threads that take slices of it in turn.
 *
 * Jobs lie in a fixed table and are taken and left by atomic operations: no lock, no
 * allocation of our own. errno untouched. A forked child, which has none of the threads that work
 * on them, has no jobs (before Linux 4.14 they stay taken there). A job whose thread is cancelled
 * in it stays taken for ever: then the table is smaller.
 */
#ifndef THPFIX_SHIM_PRETOUCH_JOB_H
#define THPFIX_SHIM_PRETOUCH_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PRETOUCH_JOBS 8

/* Makes the table one that is empty in a forked child. Before the first job: while the
 * library starts. */
void pretouch_job_prepare(void);

/* By the caller and that many helpers less one; returns when all is done. false: no
 * place in the table. May create threads, and then allocates. */
bool pretouch_job_now(uintptr_t start, size_t bytes, unsigned threads);

/* By that many threads of low priority; returns at once. Where a job is on its way that ends
 * where this range starts, its threads go on with it. false: no place in the table, or no
 * thread could be made. May create threads, and so allocates. */
bool pretouch_job_background(uintptr_t start, size_t bytes, unsigned threads);

/* The program has given this memory back: jobs that were still to populate any of it end,
 * rather than take it again. */
void pretouch_job_withdraw(uintptr_t start, size_t bytes);

#endif
