/* What a program reads from an attr is what it set; creating a thread changes not one
 * bit of it; and errno stays what it was. */
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/direct.h"
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MIB          ((size_t)1024 * 1024)
#define ERRNO_BEFORE 12345

static void *nothing(void *argument)
{
    return argument;
}

static void size_reads_back(size_t size)
{
    pthread_attr_t attr;
    size_t got = 0, got_by_getstack = 0;
    void *address;
    CHECK_OK(pthread_attr_init(&attr));
    errno = ERRNO_BEFORE;
    int set = pthread_attr_setstacksize(&attr, size);
    CHECK_EQUAL(errno, ERRNO_BEFORE);
    if (size < (size_t)sysconf(_SC_THREAD_STACK_MIN)) {
        CHECK_EQUAL(set, EINVAL);
        size = 8 * MIB;
        CHECK_OK(pthread_attr_setstacksize(&attr, size));
    } else {
        CHECK_OK(set);
    }
    errno = ERRNO_BEFORE;
    CHECK_OK(pthread_attr_getstacksize(&attr, &got));
    CHECK_EQUAL(got, size);
    CHECK_OK(pthread_attr_getstack(&attr, &address, &got_by_getstack));
    CHECK_EQUAL(got_by_getstack, size);
    /* No caller's stack: address and size make zero. */
    CHECK_EQUAL((uintptr_t)address + got_by_getstack, 0);
    CHECK_EQUAL(errno, ERRNO_BEFORE);

    /* Read and set again, as wrappers of other people do; a changed value must not creep. */
    for (int i = 0; i < 3; i++) {
        CHECK_OK(pthread_attr_setstacksize(&attr, got));
        CHECK_OK(pthread_attr_getstacksize(&attr, &got));
        CHECK_EQUAL(got, size);
    }
    CHECK_OK(pthread_attr_destroy(&attr));
}

static void sizes_read_back(void)
{
    for (size_t k = 0; k < 70; k++) {
        for (int delta = -1; delta <= 1; delta++) {
            size_reads_back(k * 2 * MIB + (size_t)delta);
        }
        size_reads_back(k * 2 * MIB + 4096);
        size_reads_back(k * 2 * MIB + 64 * 1024);
        size_reads_back(k * 2 * MIB + 68 * 1024);
    }
    for (int shift = 14; shift < 64; shift++) {
        size_reads_back((size_t)1 << shift);
        size_reads_back(SIZE_MAX - ((size_t)1 << shift) + 1);
    }
    size_reads_back(SIZE_MAX);
    size_reads_back(SIZE_MAX - 1);
}

/* An attr in which everything is set, by the extension that glibc allocates too. */
static void set_everything(pthread_attr_t *ret_attr, size_t size, long guard)
{
    cpu_set_t cpus;
    sigset_t signals;
    struct sched_param param = {0};
    make_attr(ret_attr, size, guard);
    CHECK_OK(sched_getaffinity(0, sizeof(cpus), &cpus));
    CHECK_OK(pthread_attr_setaffinity_np(ret_attr, sizeof(cpus), &cpus));
    CHECK_OK(sigemptyset(&signals));
    if (direct()->attr_setsigmask != NULL) {
        CHECK_OK(direct()->attr_setsigmask(ret_attr, &signals));
    }
    CHECK_OK(pthread_attr_setinheritsched(ret_attr, PTHREAD_EXPLICIT_SCHED));
    CHECK_OK(pthread_attr_setschedpolicy(ret_attr, SCHED_OTHER));
    CHECK_OK(pthread_attr_setschedparam(ret_attr, &param));
    CHECK_OK(pthread_attr_setscope(ret_attr, PTHREAD_SCOPE_SYSTEM));
}

static void creation_leaves_attr_alone(size_t size, long guard)
{
    pthread_attr_t attr, before;
    pthread_t thread;
    set_everything(&attr, size, guard);
    memcpy(&before, &attr, sizeof(attr));
    errno = ERRNO_BEFORE;
    CHECK_OK(pthread_create(&thread, &attr, nothing, NULL));
    CHECK_EQUAL(errno, ERRNO_BEFORE);
    CHECK_OK(pthread_join(thread, NULL));
    CHECK(memcmp(&before, &attr, sizeof(attr)) == 0);

    size_t got;
    CHECK_OK(pthread_attr_getstacksize(&attr, &got));
    CHECK_EQUAL(got, size);
    CHECK_OK(pthread_attr_getguardsize(&attr, &got));
    CHECK(guard < 0 || (long)got == guard);
    CHECK_OK(pthread_attr_destroy(&attr));
}

int main(void)
{
    static const long guards[] = {-1, 0, 4096, 65536};
    sizes_read_back();
    for (size_t i = 0; i < sizeof(guards) / sizeof(guards[0]); i++) {
        creation_leaves_attr_alone(MIB, guards[i]);
        creation_leaves_attr_alone(2 * MIB, guards[i]);
        creation_leaves_attr_alone(2 * MIB + 4096, guards[i]);
        creation_leaves_attr_alone(8 * MIB, guards[i]);
    }
    errno = ERRNO_BEFORE;
    run_thread(NULL, nothing, NULL);
    CHECK_EQUAL(errno, ERRNO_BEFORE);
    return finish();
}
