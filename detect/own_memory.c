#include "detect/own_memory.h"
#include "detect/units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Linux 5.14: headers that we are built with may be older. */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

#define WORTH_BYTES (64 * KIB)

void own_memory_ahead(void *start, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uintptr_t first, end = align_down((uintptr_t)start + bytes, page);
    if (bytes >= WORTH_BYTES && align_up((uintptr_t)start, page, &first) && first < end) {
        int callers_errno = errno;
        (void)madvise((void *)first, end - first, MADV_POPULATE_WRITE);
        errno = callers_errno;
    }
}

static void *have(size_t bytes)
{
    void *memory = malloc(bytes);
    if (memory != NULL) {
        own_memory_ahead(memory, bytes);
    }
    return memory;
}

void *own_memory_zeros(size_t count, size_t size)
{
    size_t bytes;
    void *memory = __builtin_mul_overflow(count, size, &bytes) ? NULL : have(bytes);
    return memory != NULL ? memset(memory, 0, bytes) : NULL;
}

/* Not by realloc, which moves what is there before the new place is resident. */
void *own_memory_grow(void *array, size_t *room, size_t first, size_t size)
{
    size_t more = *room != 0 ? *room * 2 : first, bytes;
    void *grown = __builtin_mul_overflow(more, size, &bytes) ? NULL : have(bytes);
    if (grown != NULL && *room != 0) {
        memcpy(grown, array, *room * size);
    }
    if (grown != NULL) {
        free(array);
        *room = more;
    }
    return grown;
}
