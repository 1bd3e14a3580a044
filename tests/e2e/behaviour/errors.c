/* Every error is the one that the C library gives by itself: sizes too small, too large
 * and close to overflow, with several guards; and nothing is left behind by a failure. */
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/direct.h"
#include "tests/e2e/behaviour/memory.h"
#include <errno.h>
#include <stdint.h>

#define KIB ((size_t)1024)
#define MIB (KIB * KIB)

static const size_t sizes[] = {
    0,
    1,
    4096,
    16 * KIB - 1,
    16 * KIB,
    16 * KIB + 1,
    2 * MIB,
    (size_t)1 << 40,
    (size_t)1 << 46,
    ((size_t)1 << 47) - 2 * MIB,
    (size_t)1 << 47,
    (size_t)1 << 62,
    (size_t)1 << 63,
    SIZE_MAX - 4 * MIB + 1,
    SIZE_MAX - 2 * MIB + 1,
    SIZE_MAX - 64 * KIB,
    SIZE_MAX - 64 * KIB + 1,
    SIZE_MAX - 4 * KIB,
    SIZE_MAX - 4 * KIB + 1,
    SIZE_MAX - 15,
    SIZE_MAX - 1,
    SIZE_MAX,
};
static const size_t guards[] = {0,       1, 4096, 64 * KIB, 2 * MIB, SIZE_MAX / 2, SIZE_MAX - 4095,
                                SIZE_MAX};

static int refused;    /* EINVAL from pthread_attr_setstacksize */
static int impossible; /* EINVAL from pthread_create */
static int too_large;  /* EAGAIN from pthread_create */
static int made;

static void *nothing(void *argument)
{
    return argument;
}

static int create(int (*creator)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *),
                  const pthread_attr_t *attr)
{
    pthread_t thread;
    int result = creator(&thread, attr, nothing, NULL);
    if (result == 0) {
        CHECK_OK(pthread_join(thread, NULL));
    }
    return result;
}

static void compare(size_t size, size_t guard)
{
    pthread_attr_t attr, direct_attr;
    CHECK_OK(pthread_attr_init(&attr));
    CHECK_OK(pthread_attr_init(&direct_attr));
    CHECK_OK(pthread_attr_setguardsize(&attr, guard));
    CHECK_OK(pthread_attr_setguardsize(&direct_attr, guard));

    int set = pthread_attr_setstacksize(&attr, size);
    CHECK_EQUAL(set, direct()->attr_setstacksize(&direct_attr, size));
    CHECK(set == 0 || set == EINVAL);
    refused += set == EINVAL;
    if (set == 0) {
        int result = create(pthread_create, &attr);
        CHECK_EQUAL(result, create(direct()->create, &direct_attr));
        made += result == 0;
        impossible += result == EINVAL;
        too_large += result == EAGAIN;
    }
    CHECK_OK(pthread_attr_destroy(&attr));
    CHECK_OK(pthread_attr_destroy(&direct_attr));
}

static void compare_all(void)
{
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        for (size_t j = 0; j < sizeof(guards) / sizeof(guards[0]); j++) {
            compare(sizes[i], guards[j]);
        }
    }
}

int main(void)
{
    compare_all();
    size_t entries = memory_map_entries();
    compare_all();
    CHECK(memory_map_entries() <= entries + 2);

    /* Or the comparison would be one of nothing with nothing. */
    CHECK(refused > 0);
    CHECK(impossible > 0);
    CHECK(too_large > 0);
    CHECK(made > 0);
    return finish();
}
