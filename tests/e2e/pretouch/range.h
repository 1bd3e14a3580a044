/* Ranges of memory, as the kernel sees them, and the library's part in them. */
#ifndef THPFIX_TESTS_PRETOUCH_RANGE_H
#define THPFIX_TESTS_PRETOUCH_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MIB ((size_t)1 << 20)

/* Private anonymous memory, aligned to 2 MiB; nothing of it is there yet. */
unsigned char *range_map(size_t bytes);

/* How much of the range is there. */
size_t range_resident_bytes(const void *start, size_t bytes);

/* AnonHugePages of the mapping at start. */
size_t range_huge_bytes(const void *start);

/* Waits until so much of the range is there; false after four minutes. */
bool range_wait_resident(const void *start, size_t bytes, size_t resident_bytes);

/* The id of a thread that is not the first; 0: there is none. In programs without threads of
 * their own it is one of the library. */
int worker_id(void);

/* Waits until there is none; false after four minutes. */
bool worker_wait_gone(void);

/* The value of a counter of the library, which must be loaded. */
#define COUNTER(field) ((long long)library_counters()->field)

#endif
