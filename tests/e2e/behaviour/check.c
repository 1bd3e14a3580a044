#include "tests/e2e/behaviour/check.h"

#include "detect/counters_abi.h"
#include "detect/verdict.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void check_failed(const char *file, int line, const char *what)
{
    dprintf(STDERR_FILENO, "%s:%d: check failed: %s\n", file, line, what);
    _exit(EXIT_FAILURE);
}

void check_equal(const char *file, int line, const char *what, long long got, long long expected)
{
    if (got == expected) {
        return;
    }
    dprintf(STDERR_FILENO, "%s:%d: check failed: %s is %lld, expected %lld\n", file, line, what,
            got, expected);
    _exit(EXIT_FAILURE);
}

void skip(const char *reason)
{
    printf("skipped: %s\n", reason);
    exit(EXIT_SKIPPED);
}

void *run_thread(const pthread_attr_t *attr, void *(*routine)(void *), void *argument)
{
    pthread_t thread;
    void *result;
    CHECK_OK(pthread_create(&thread, attr, routine, argument));
    CHECK_OK(pthread_join(thread, &result));
    return result;
}

void make_attr(pthread_attr_t *ret_attr, size_t stack_bytes, long guard_bytes)
{
    CHECK_OK(pthread_attr_init(ret_attr));
    CHECK_OK(pthread_attr_setstacksize(ret_attr, stack_bytes));
    if (guard_bytes >= 0) {
        CHECK_OK(pthread_attr_setguardsize(ret_attr, (size_t)guard_bytes));
    }
}

const struct counters *library_counters(void)
{
    return dlsym(RTLD_DEFAULT, COUNTERS_SYMBOL);
}

bool library_expected(void)
{
    const char *expected = getenv("EXPECT_LIBRARY");
    return expected != NULL && strcmp(expected, "1") == 0;
}

static void check_counters(const struct counters *counters)
{
    CHECK(counters != NULL);
    CHECK(counters->magic == COUNTERS_MAGIC);
    CHECK_EQUAL(counters->version, COUNTERS_VERSION);
    CHECK(counters->size_bytes >= sizeof(*counters));
}

int finish(void)
{
    const char *expected = getenv("EXPECT_LIBRARY");
    const struct counters *counters = library_counters();
    if (expected == NULL) {
        CHECK(counters == NULL);
        return EXIT_SUCCESS;
    }
    check_counters(counters);
    if (strcmp(expected, "loaded") == 0) {
        return EXIT_SUCCESS;
    }
    if (strcmp(expected, "inert") == 0) {
        CHECK(counters->verdict_kind != VERDICT_ACTIVE);
        CHECK_EQUAL(counters->threads_padded, 0);
        CHECK_EQUAL(counters->threads_guarded, 0);
        CHECK_EQUAL(counters->threads_flagged, 0);
        CHECK_EQUAL(counters->tops_released, 0);
        return EXIT_SUCCESS;
    }
    CHECK(strcmp(expected, "1") == 0);
    CHECK_EQUAL(counters->verdict_kind, VERDICT_ACTIVE);
    CHECK(counters->threads_seen > 0);
    return EXIT_SUCCESS;
}
