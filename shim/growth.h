/* May stacks be made larger than asked?
 *
 * Not where every byte of address space or of locked memory counts against a limit: the
 * program may have sized its threads to fit, and would get one less because of us. The
 * new thread then looks after its stack without pad and guard.
 */
#ifndef THPFIX_SHIM_GROWTH_H
#define THPFIX_SHIM_GROWTH_H

#include <stdbool.h>

/* false where RLIMIT_AS or RLIMIT_DATA is finite, or memory is locked as it is mapped
 * (mlockall with MCL_FUTURE) within a finite RLIMIT_MEMLOCK. Looked at now and then: the answer
 * may be 32 calls old. No lock, no allocation, errno untouched; any thread, after fork. */
bool growth_allowed(void);

/* The last of these conditions, looked at now. Same guarantees. */
bool growth_is_locked(void);

#endif
