/* A malloc of another make, as far as it matters here: one lock, which may not be taken
 * twice, and held while large memory is put under MADV_HUGEPAGE. */
#include <errno.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LARGE ((size_t)64 << 20)

#define EXPORT __attribute__((visibility("default")))

static atomic_flag lock = ATOMIC_FLAG_INIT;
static alignas(64) unsigned char pool[16 << 20];
static size_t used;

/* Before each block. */
struct head {
    alignas(64) size_t bytes;
};

static void *from_pool(size_t bytes)
{
    size_t whole = (bytes + sizeof(struct head) + 63) & ~(size_t)63;
    if (whole > sizeof(pool) - used) {
        return NULL;
    }
    struct head *head = (struct head *)(pool + used);
    used += whole;
    head->bytes = bytes;
    return head + 1;
}

static void *from_kernel(size_t bytes)
{
    size_t block = (size_t)2 << 20, whole = bytes + 3 * block;
    unsigned char *room =
        mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) {
        return NULL;
    }
    uintptr_t start = ((uintptr_t)room + 2 * block - 1) & ~(uintptr_t)(block - 1);
    struct head *head = (struct head *)start - 1;
    head->bytes = bytes;
    (void)madvise((void *)start, bytes, MADV_HUGEPAGE);
    return (void *)start;
}

EXPORT void *malloc(size_t bytes)
{
    while (atomic_flag_test_and_set(&lock)) {
    }
    void *block = bytes >= LARGE ? from_kernel(bytes) : from_pool(bytes);
    atomic_flag_clear(&lock);
    if (block == NULL) {
        errno = ENOMEM;
    }
    return block;
}

EXPORT void free(void *block)
{
    (void)block;
}

EXPORT void *calloc(size_t count, size_t bytes)
{
    size_t all;
    if (__builtin_mul_overflow(count, bytes, &all)) {
        errno = ENOMEM;
        return NULL;
    }
    return malloc(all); /* never used before: zero */
}

EXPORT void *realloc(void *block, size_t bytes)
{
    void *moved = malloc(bytes);
    if (moved != NULL && block != NULL) {
        size_t before = ((struct head *)block - 1)->bytes;
        memcpy(moved, block, before < bytes ? before : bytes);
    }
    return moved;
}
