/* A binary that was linked with the first version of pthread_create, as every one was
 * before glibc 2.34, is served as well. */
#include "detect/counters_abi.h"
#include "tests/e2e/behaviour/check.h"

#if defined(__x86_64__)
#define FIRST_VERSION "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define FIRST_VERSION "GLIBC_2.17"
#endif

typedef int create_function(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
create_function old_pthread_create;
__asm__(".symver old_pthread_create, pthread_create@" FIRST_VERSION);

static void *nothing(void *argument)
{
    return argument;
}

int main(void)
{
    pthread_attr_t attr;
    make_attr(&attr, (size_t)2 << 20, 0);
    for (int i = 0; i < 10; i++) {
        pthread_t thread;
        void *result;
        CHECK_OK(old_pthread_create(&thread, i % 2 == 0 ? &attr : NULL, nothing, &attr));
        CHECK_OK(pthread_join(thread, &result));
        CHECK(result == &attr);
    }
    if (library_expected()) {
        CHECK_EQUAL(library_counters()->threads_seen, 10);
    }
    CHECK_OK(pthread_attr_destroy(&attr));
    return finish();
}
