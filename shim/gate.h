/* The start gate: lets one thread start through at a time.
 *
 * A futex lock that does no harm where it stands. The thread that holds it may come
 * back in (a malloc replacement that creates a thread from inside malloc). A child
 * forked while another thread held it finds it open. A holder that never comes out,
 * because it was cancelled or is stuck, keeps nobody longer than the limit: the
 * waiter goes through, and that is counted.
 *
 * No allocation, no TLS, no cancellation point, errno untouched. Any thread, after
 * fork; not in a signal handler that interrupted the gate's own holder for long.
 */
#ifndef THPFIX_SHIM_GATE_H
#define THPFIX_SHIM_GATE_H

#include <stdbool.h>

/* true: the caller holds the gate and must leave it. false: it goes through without
 * (re-entry, time-out), and must not leave it. */
bool gate_enter(void);

void gate_leave(void);

#endif
