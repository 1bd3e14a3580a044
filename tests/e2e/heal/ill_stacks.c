/* Preloaded: every new thread has all of its stack resident, as after huge pages came. With
 * guards it is a matter of addresses where the kernel makes them, and of khugepaged. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

struct start {
    void *(*routine)(void *);
    void *argument;
};

static void *begin(void *argument)
{
    struct start start = *(struct start *)argument;
    pthread_attr_t attr;
    void *low;
    size_t size, page = (size_t)sysconf(_SC_PAGESIZE);

    free(argument);
    if (pthread_getattr_np(pthread_self(), &attr) == 0) {
        pthread_attr_getstack(&attr, &low, &size);
        pthread_attr_destroy(&attr);
        size = (size_t)((char *)__builtin_frame_address(0) - (char *)low);
        madvise(low, size & -page, MADV_POPULATE_WRITE);
    }
    return start.routine(start.argument);
}

__attribute__((visibility("default"))) int pthread_create(pthread_t *restrict thread,
                                                          const pthread_attr_t *restrict attr,
                                                          void *(*routine)(void *),
                                                          void *restrict argument)
{
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    struct start *start = malloc(sizeof(*start));

    *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
    if (start == NULL)
        return real(thread, attr, routine, argument);
    *start = (struct start){routine, argument};
    int result = real(thread, attr, begin, start);
    if (result != 0)
        free(start);
    return result;
}
