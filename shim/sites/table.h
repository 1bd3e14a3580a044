/* Sites and threads, as sites_abi.h lays them out. Of fixed size; nothing is ever freed. */
#ifndef THPFIX_SHIM_SITES_TABLE_H
#define THPFIX_SHIM_SITES_TABLE_H

#include "detect/sites_abi.h"
#include "shim/sites_interface.h"

#include <stddef.h>
#include <stdint.h>

#define TABLE_SITES   1024
#define TABLE_THREADS 32768

extern __attribute__((visibility("default"))) struct sites thpfix_sites;

#define SITES_COUNT(field) ((void)__atomic_fetch_add(&thpfix_sites.field, 1, __ATOMIC_RELAXED))

/* Fills in the head, once. */
void table_start(uint64_t pid);

/* The number + 1 of the site with these frames, entered where it is new; 0: no room. One
 * thread at a time. */
uint32_t table_find_site(const uint64_t *frames, size_t count, bool cut);

/* One more thread was created at a site. Any thread. */
void table_count(uint32_t site, const struct sites_request *request);

/* Says that the calling thread was created there. Any thread, of those on stacks that
 * pthread_create knows. */
void table_enter_thread(uint32_t site);

#endif
