/* Threads on stacks without a guard, started in a row.
 *
 * The kernel maps a new stack right below the last one, and without a guard between them the two
 * are one piece of memory, until the thread of the last one has put its flag on it. If the new
 * one is touched before that, a huge page comes to span both, and clearing it takes as long as
 * dozens of thread starts. So the next such thread is not created before the last one has put
 * its flag. That is soon: it is the first thing it does.
 *
 * Any thread; errno untouched. Nobody waits longer than the limit: a child forked meanwhile
 * waits so long once, for a thread that it does not have.
 */
#ifndef THPFIX_SHIM_BARE_START_H
#define THPFIX_SHIM_BARE_START_H

#include <stdint.h>

/* Longer than a new thread waits for a processor, unless others are always before it. */
#define BARE_START_LIMIT_NS UINT64_C(20000000)

/* Before a thread is created on a stack without a guard. bare_start_end has to follow. */
void bare_start_begin(void);

/* By the new thread, once its stack is flagged; by the creator, where no thread was created. */
void bare_start_end(void);

#endif
