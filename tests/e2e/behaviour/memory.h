/* The memory of this process, as /proc/self tells. */
#ifndef THPFIX_TESTS_BEHAVIOUR_MEMORY_H
#define THPFIX_TESTS_BEHAVIOUR_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

size_t memory_page_bytes(void);
size_t memory_resident_bytes(void);
size_t memory_address_space_bytes(void);
size_t memory_map_entries(void);

struct mapping {
    uintptr_t start, end;
    bool readable, writable;
    bool no_huge_page; /* nh in VmFlags */
};

/* The mapping that contains the address; false where there is none. */
bool memory_mapping_of(const void *address, struct mapping *ret_mapping);

/* The stack of the calling thread, as pthread_getattr_np reports it. */
struct live_stack {
    unsigned char *low; /* lowest usable byte, above the guard */
    size_t size_bytes;
    size_t guard_bytes;
};

void live_stack_of_caller(struct live_stack *ret_stack);

/* Reads and writes a byte of every page from low to the caller's frame, and reads one
 * of every page above it. The thread dies where a page of them is not there. */
void live_stack_touch(const struct live_stack *stack);

/* Fills that many bytes of the caller's stack with a value and calls `between`; the
 * bytes must still be what they were afterwards. */
void stack_fill(size_t bytes, unsigned char value, void (*between)(void *), void *context);

#endif
