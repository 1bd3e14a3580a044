/* A stack that the program supplies is used as it is: exactly its bounds are reported,
 * and not a byte below the stack pointer is touched. With EXPECT_USER_STACKS=1 its
 * mapping is kept free of huge pages, and all that still holds. */
#include "detect/counters_abi.h"
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/direct.h"
#include "tests/e2e/behaviour/memory.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define KIB     ((size_t)1024)
#define MIB     (KIB * KIB)
#define PATTERN 0xa5
/* Below the frame of the routine: what the C library's start of a thread has used. */
#define USED_BELOW_FRAME (16 * KIB)

struct visit {
    unsigned char *stack;
    size_t size_bytes;
    struct live_stack seen;
};

static void *look(void *argument)
{
    struct visit *visit = argument;
    unsigned char *end = (unsigned char *)__builtin_frame_address(0) - USED_BELOW_FRAME;
    CHECK(visit->stack < end && end < visit->stack + visit->size_bytes);
    for (unsigned char *byte = visit->stack; byte < end; byte++) {
        CHECK_EQUAL(*byte, PATTERN);
    }
    live_stack_of_caller(&visit->seen);
    return NULL;
}

static void make_attr_with_stack(pthread_attr_t *ret_attr, struct visit *visit)
{
    void *address;
    size_t size;
    CHECK_OK(pthread_attr_init(ret_attr));
    CHECK_OK(pthread_attr_setstack(ret_attr, visit->stack, visit->size_bytes));
    CHECK_OK(pthread_attr_getstack(ret_attr, &address, &size));
    CHECK_EQUAL((uintptr_t)address, (uintptr_t)visit->stack);
    CHECK_EQUAL(size, visit->size_bytes);
    CHECK_OK(pthread_attr_getstacksize(ret_attr, &size));
    CHECK_EQUAL(size, visit->size_bytes);
}

/* Once with the library and once past it, with the same outcome. */
static struct live_stack visit_stack(unsigned char *stack, size_t size_bytes)
{
    struct visit visit = {.stack = stack, .size_bytes = size_bytes};
    struct live_stack with;
    pthread_attr_t attr;
    pthread_t thread;
    make_attr_with_stack(&attr, &visit);

    memset(stack, PATTERN, size_bytes);
    run_thread(&attr, look, &visit);
    with = visit.seen;
    memset(stack, PATTERN, size_bytes);
    CHECK_OK(direct()->create(&thread, &attr, look, &visit));
    CHECK_OK(pthread_join(thread, NULL));

    CHECK_EQUAL((uintptr_t)with.low, (uintptr_t)visit.seen.low);
    CHECK_EQUAL(with.size_bytes, visit.seen.size_bytes);
    CHECK_EQUAL(with.guard_bytes, visit.seen.guard_bytes);
    CHECK_OK(pthread_attr_destroy(&attr));
    return with;
}

typedef int set_size_function(pthread_attr_t *, size_t);

/* A top set by the old pthread_attr_setstackaddr, and a size before or after it. */
static void seen_with_address(unsigned char *top, size_t size, bool size_first,
                              set_size_function *set_size, const struct direct *creator,
                              struct live_stack *ret_seen)
{
    struct visit visit = {.stack = top - size, .size_bytes = size};
    pthread_attr_t attr;
    pthread_t thread;
    memset(top - size, PATTERN, size);
    CHECK_OK(pthread_attr_init(&attr));
    if (size_first) {
        CHECK_OK(set_size(&attr, size));
    }
    CHECK_OK(direct()->attr_setstackaddr(&attr, top));
    if (!size_first) {
        CHECK_OK(set_size(&attr, size));
    }
    CHECK_OK((creator != NULL ? creator->create : pthread_create)(&thread, &attr, look, &visit));
    CHECK_OK(pthread_join(thread, NULL));
    CHECK_OK(pthread_attr_destroy(&attr));
    *ret_seen = visit.seen;
}

static void set_by_address(unsigned char *top, size_t size, bool size_first)
{
    struct live_stack with, without;
    seen_with_address(top, size, size_first, pthread_attr_setstacksize, NULL, &with);
    seen_with_address(top, size, size_first, direct()->attr_setstacksize, direct(), &without);
    CHECK_EQUAL((uintptr_t)with.low, (uintptr_t)without.low);
    CHECK_EQUAL(with.size_bytes, without.size_bytes);
    CHECK_EQUAL((uintptr_t)with.low, (uintptr_t)(top - size));
}

int main(void)
{
    bool with_user_stacks = getenv("EXPECT_USER_STACKS") != NULL;
    size_t size = 6 * MIB;
    unsigned char *stack = mmap(NULL, size, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(stack != MAP_FAILED);

    struct live_stack seen = visit_stack(stack, size);
    CHECK_EQUAL((uintptr_t)seen.low, (uintptr_t)stack);
    CHECK_EQUAL(seen.size_bytes, size);
    struct mapping mapping;
    CHECK(memory_mapping_of(stack + size / 2, &mapping));
    CHECK_EQUAL(mapping.no_huge_page, with_user_stacks);
    for (size_t part = 2 * MIB; part <= size; part += 2 * MIB) {
        set_by_address(stack + size, part, true);
        set_by_address(stack + size, part, false);
    }
    CHECK_OK(munmap(stack, size));

    /* Of any size, anywhere, in memory that is not all the stack's. */
    static unsigned char aligned[MIB] __attribute__((aligned(4096)));
    unsigned char *allocated = malloc(3 * MIB);
    CHECK(allocated != NULL);
    visit_stack(aligned, sizeof(aligned));
    visit_stack(allocated + 16, 3 * MIB - 32);
    visit_stack(allocated + 4096 + 16, 128 * KIB);
    free(allocated);

    const struct counters *counters = library_counters();
    if (library_expected() && !with_user_stacks) {
        CHECK(counters->left_alone_callers_stack >= 4);
    }
    return finish();
}
