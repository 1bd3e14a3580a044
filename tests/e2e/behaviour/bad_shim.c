/* A preload library that does wrong what libthpfix.so must do right, to show that each
 * test can fail. BAD_SHIM in the environment says what. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

typedef int create_function(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
typedef int set_size_function(pthread_attr_t *, size_t);

static bool does(const char *wrong)
{
    const char *chosen = getenv("BAD_SHIM");
    return chosen != NULL && strcmp(chosen, wrong) == 0;
}

static create_function *next_create(void)
{
    return (create_function *)dlsym(RTLD_NEXT, "pthread_create");
}

static set_size_function *next_set_size(void)
{
    return (set_size_function *)dlsym(RTLD_NEXT, "pthread_attr_setstacksize");
}

static void *waits(void *argument)
{
    for (;;) {
        pause();
    }
    return argument;
}

static void ignores(int signal_number)
{
    (void)signal_number;
}

__attribute__((constructor)) static void start(void)
{
    pthread_t thread;
    if (does("descriptor")) {
        (void)open("/dev/null", O_RDONLY);
    } else if (does("handler")) {
        signal(SIGUSR1, ignores);
    } else if (does("thread")) {
        (void)next_create()(&thread, NULL, waits, NULL);
    } else if (does("environment")) {
        char value[64] = "x"; /* another one at each exec */
        const char *old = getenv("BAD_VALUE");
        if (old != NULL && strlen(old) < sizeof(value) - 1) {
            strcat(strcpy(value, old), "x");
        }
        setenv("BAD_VALUE", value, 1);
    }
}

struct start {
    void *(*routine)(void *);
    void *argument;
};

/* Its frame stays under the routine's. */
static void *trampoline(void *argument)
{
    struct start start = *(struct start *)argument;
    if (!does("leak")) {
        free(argument);
    }
    if (does("thread-errno")) {
        errno = ENOMEM;
    } else if (does("mask")) {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, NULL);
    } else if (does("early-cancel")) {
        pthread_testcancel();
    }
    void *result = start.routine(start.argument);
    __asm__ volatile("" : : : "memory");
    return result;
}

static int create_through_trampoline(pthread_t *thread, const pthread_attr_t *attr,
                                     void *(*routine)(void *), void *argument)
{
    struct start *start = malloc(sizeof(*start));
    if (start == NULL) {
        return EAGAIN;
    }
    *start = (struct start){routine, argument};
    return next_create()(thread, attr, trampoline, start);
}

/* A copy of the attr with another size or guard. */
static int create_changed(pthread_t *thread, const pthread_attr_t *attr, void *(*routine)(void *),
                          void *argument)
{
    pthread_attr_t copy;
    size_t size;
    memcpy(&copy, attr, sizeof(copy));
    pthread_attr_getstacksize(&copy, &size);
    if (does("shrink")) {
        next_set_size()(&copy, size / 2);
    } else if (does("no-guard")) {
        pthread_attr_setguardsize(&copy, 0);
    } else if (does("no-retry")) {
        next_set_size()(&copy, size + 68 * 1024);
    }
    return next_create()(thread, &copy, routine, argument);
}

static void write_on_callers_stack(const pthread_attr_t *attr)
{
    void *address;
    size_t size;
    if (pthread_attr_getstack(attr, &address, &size) == 0 && (uintptr_t)address + size != 0) {
        memset((char *)address + size / 2, 0, 4096);
    }
}

EXPORT int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attr,
                          void *(*routine)(void *), void *restrict argument)
{
    if (does("frame") || does("leak") || does("thread-errno") || does("mask") ||
        does("early-cancel")) {
        return create_through_trampoline(thread, attr, routine, argument);
    }
    if (attr != NULL && (does("shrink") || does("no-guard") || does("no-retry"))) {
        return create_changed(thread, attr, routine, argument);
    }
    if (attr != NULL && does("attr")) {
        pthread_attr_setguardsize((pthread_attr_t *)(uintptr_t)attr, 12288);
    } else if (attr != NULL && does("callers-stack")) {
        write_on_callers_stack(attr);
    } else if (does("cancellation-point")) {
        pthread_testcancel();
    }
    int result = next_create()(thread, attr, routine, argument);
    if (does("errno")) {
        errno = EINVAL;
    } else if (does("error") && result == EAGAIN) {
        result = ENOMEM;
    } else if (does("print")) {
        (void)!write(STDERR_FILENO, "bad\n", 4);
    }
    return result;
}

EXPORT int pthread_attr_setstacksize(pthread_attr_t *attr, size_t size)
{
    return next_set_size()(attr, does("creep") ? size + 4096 : size);
}

EXPORT int madvise(void *start, size_t length, int advice)
{
    int result = (int)syscall(SYS_madvise, start, length, advice);
    if (does("madvise-errno") && result == 0) {
        errno = EINVAL;
    }
    return result;
}
