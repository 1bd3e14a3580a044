/* Start records, and the first steps of a new thread on its own stack. */
#ifndef THPFIX_SHIM_STACK_START_H
#define THPFIX_SHIM_STACK_START_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* What the new thread needs. From a fixed pool, lock-free: no malloc on the way of a
 * thread start, neither here nor there. */
struct start_record;

/* NULL when the pool is empty: start the thread without. For a bare stack, one that has no
 * guard, waits for its turn: see bare_start.h. Any thread; after fork (records that other
 * threads held at a fork stay taken in the child). */
struct start_record *stack_start_prepare(void *(*routine)(void *), void *argument, bool bare);

/* For stack_start_created, and to be asked before the thread is created, which gives the record
 * back. 0: not a bare stack. */
uint32_t stack_start_turn(const struct start_record *record);

/* By the creator, once there is a thread, with a turn that is not 0: puts the flag on its stack,
 * where the thread has not come to it so far. Only then it reads *thread, which the thread may
 * free. */
void stack_start_created(struct start_record *record, uint32_t turn, const pthread_t *thread);

/* Gives a record back that no thread was started with. */
void stack_start_abandon(struct start_record *record);

/* The start routine to give to the real pthread_create, with the record as argument.
 * On the new thread: gives the record back, looks after the stack (stack_clean.h where
 * the process is active, pretouch_stack.h), and goes to the program's routine by tail
 * call, so that backtraces, unwinding and cancellation see what they would have seen
 * without us. */
void *stack_start_routine(void *record);

#endif
