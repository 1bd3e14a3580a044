/* Has a new thread enter itself in the table before it goes to its own start routine. */
#ifndef THPFIX_SHIM_SITES_START_H
#define THPFIX_SHIM_SITES_START_H

#include "shim/sites_interface.h"

/* Fills in what the thread is to be started with. false, with *creation untouched: all
 * records are in use, by threads that have not run yet. Any thread. */
bool start_prepare(void *(*routine)(void *), void *argument, uint32_t site,
                   struct sites_creation *creation);

/* No thread was started with it. */
void start_abandon(struct sites_start *start);

#endif
