/* Threads on stacks without a guard, started in a row.
 *
 * The kernel maps a new stack right below the last one, and without a guard between them the two
 * are one piece of memory, until the last one has its flag. If the new one is touched before that,
 * a huge page comes to span both, and clearing it takes as long as dozens of thread starts. So the
 * next such thread is not created before the last one's stack has its flag, from the thread itself
 * or, as it usually comes to it first, from its creator: to wait until a thread runs would take
 * longer than to start it.
 *
 * Any thread; errno untouched. No creator waits longer than the limit: a child forked meanwhile
 * waits so long once, for a thread that it does not have.
 */
#ifndef THPFIX_SHIM_BARE_START_H
#define THPFIX_SHIM_BARE_START_H

#include <stdbool.h>
#include <stdint.h>

/* Longer than a new thread waits for a processor, unless others are always before it. */
#define BARE_START_LIMIT_NS UINT64_C(20000000)

/* One such start. Shared by creator and new thread, and in memory that always stays. */
struct bare_start {
    uint32_t word;
};

/* Before the thread is created. Returns the turn, never 0. An end has to follow. */
uint32_t bare_start_begin(struct bare_start *ret_start);

/* By the creator, once the thread is created. true: its stack has no flag yet, and until the
 * release, which has to follow at once, the thread does not get past bare_start_end, so that
 * stack and pthread_t stay there. false: the turn is over, and *start may be another's. */
bool bare_start_claim(struct bare_start *start, uint32_t turn);

/* flagged: it was the end. If not, the end remains with the thread. */
void bare_start_release(struct bare_start *start, uint32_t turn, bool flagged);

/* By the new thread: has its creator put the flag on its stack? */
bool bare_start_is_over(const struct bare_start *start);

/* By the new thread, once it has put the flag on its stack; by the creator, where there is no
 * thread. Waits while the creator claims the start. */
void bare_start_end(struct bare_start *start);

#endif
