/* tell_bounds: preloaded, has each new thread write "TID BASE END" (hexadecimal, guard included,
 * as pthread_getattr_np tells them) to the end of the file in TELL_BOUNDS, before it goes on.
 *
 * Its stack has no guard, as HotSpot asks for: the kernel aligns what is a multiple of the THP
 * size, so that the tops of such stacks are huge from their first touch on. Nobody's luck. */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef void *routine(void *);
typedef int create(pthread_t *, const pthread_attr_t *, routine *, void *);

struct start {
    routine *routine;
    void *argument;
};

static char path[4096]; /* some programs clear their environment */

/* The process ends: a test that went on would prove nothing. */
static _Noreturn void cannot(const char *what)
{
    perror(what);
    _exit(70);
}

__attribute__((constructor)) static void take_path(void)
{
    const char *value = getenv("TELL_BOUNDS");

    if (path[0] == '\0' && value)
        snprintf(path, sizeof(path), "%s", value);
}

static void tell(void)
{
    pthread_attr_t attr;
    void *low;
    size_t size, guard;
    char line[128];

    if (pthread_getattr_np(pthread_self(), &attr) != 0)
        cannot("tell_bounds");
    pthread_attr_getstack(&attr, &low, &size);
    pthread_attr_getguardsize(&attr, &guard);
    pthread_attr_destroy(&attr);
    /* glibc tells the stack without its guard. */
    int length = snprintf(line, sizeof(line), "%ld %lx %lx\n", syscall(SYS_gettid),
                          (unsigned long)low - guard, (unsigned long)low + size);
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, line, (size_t)length) != length)
        cannot(path);
    close(fd);
}

static void *begin(void *argument)
{
    struct start start = *(struct start *)argument;

    free(argument);
    tell();
    return start.routine(start.argument);
}

__attribute__((visibility("default"))) int
pthread_create(pthread_t *ret_thread, const pthread_attr_t *attr, routine *function, void *argument)
{
    create *next = (create *)dlsym(RTLD_NEXT, "pthread_create");
    struct start *start = malloc(sizeof(*start));
    pthread_attr_t defaults, changed;
    void *low = NULL;
    size_t size;

    take_path();
    if (!next || !start || pthread_attr_init(&defaults) != 0)
        cannot("tell_bounds");
    /* Never destroyed where it is a copy: it shares what the caller's points to. */
    changed = attr ? *attr : defaults;
    /* glibc's own stack, and not the caller's. */
    if (pthread_attr_getstack(&changed, &low, &size) != 0 || (uintptr_t)low + size == 0)
        pthread_attr_setguardsize(&changed, 0);
    *start = (struct start){function, argument};
    int result = next(ret_thread, &changed, begin, start);
    pthread_attr_destroy(&defaults);
    if (result != 0)
        free(start);
    return result;
}
