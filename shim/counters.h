/* Writes the counters that counters_abi.h lays out. Relaxed atomics: any thread,
 * after fork, in a signal handler. */
#ifndef THPFIX_SHIM_COUNTERS_H
#define THPFIX_SHIM_COUNTERS_H

#include "detect/counters_abi.h"

extern struct counters thpfix_counters;

#define COUNTER_ADD(field, n)                                                                      \
    ((void)__atomic_fetch_add(&thpfix_counters.field, (uint64_t)(n), __ATOMIC_RELAXED))
#define COUNTER_SET(field, n)                                                                      \
    __atomic_store_n(&thpfix_counters.field, (uint64_t)(n), __ATOMIC_RELAXED)
#define COUNTER_GET(field) __atomic_load_n(&thpfix_counters.field, __ATOMIC_RELAXED)

#endif
