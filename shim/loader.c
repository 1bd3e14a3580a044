#include "shim/loader.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
#define OLDEST "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define OLDEST "GLIBC_2.17"
#elif defined(__i386__)
#define OLDEST "GLIBC_2.0"
#else
#error "the oldest version of dlsym is not known for this architecture"
#endif

typedef void *dlsym_function(void *, const char *);

#if __GLIBC_PREREQ(2, 34)
__asm__(".symver dlsym_if_there,dlsym@" OLDEST);
extern dlsym_function dlsym_if_there __attribute__((weak));
#else
/* There is none in libc.so.6 to link with. A name without a version is the oldest to the loader. */
extern dlsym_function dlsym_if_there __asm__("dlsym") __attribute__((weak));
#endif

/* Of libc.so.6 before glibc 2.34, when dlsym was elsewhere; gone since. */
extern void *__libc_dlopen_mode(const char *, int) __attribute__((weak));
extern void *__libc_dlsym(void *, const char *) __attribute__((weak));

#define CALLED_LIKE_DLOPEN ((int)0x80000000)

/* Of libdl.so.2 where the program has not loaded it: what the C library loads for itself is in
 * nobody's scope. */
static void *function_of_libdl(const char *name)
{
    static _Atomic(void *) loaded; /* any thread, to the same value */
    void *libdl = atomic_load_explicit(&loaded, memory_order_acquire);
    if (__libc_dlopen_mode == NULL || __libc_dlsym == NULL) {
        return NULL;
    }
    if (libdl == NULL) {
        libdl = __libc_dlopen_mode("libdl.so.2", RTLD_NOW | CALLED_LIKE_DLOPEN);
        atomic_store_explicit(&loaded, libdl, memory_order_release);
    }
    return libdl != NULL ? __libc_dlsym(libdl, name) : NULL;
}

static void *look_up(void *handle, const char *name)
{
    dlsym_function *function = dlsym_if_there != NULL
                                   ? dlsym_if_there
                                   : (dlsym_function *)(uintptr_t)function_of_libdl("dlsym");
    return function != NULL ? function(handle, name) : NULL;
}

static void *loaders_own(const char *name)
{
    void *function = look_up(RTLD_DEFAULT, name);
    return function != NULL || dlsym_if_there != NULL ? function : function_of_libdl(name);
}

static const char *take_error(void)
{
    const char *(*error)(void) = (const char *(*)(void))loaders_own("dlerror");
    return error != NULL ? error() : NULL;
}

void *loader_symbol(void *handle, const char *name)
{
    void *symbol = look_up(handle, name);
    if (symbol == NULL) {
        (void)take_error();
    }
    return symbol;
}

void *loader_open(const char *path, int flags, const char **ret_why)
{
    void *(*open)(const char *, int) = (void *(*)(const char *, int))loaders_own("dlopen");
    /* Before the call: to look a symbol up is to forget the error. */
    const char *(*error)(void) = (const char *(*)(void))loaders_own("dlerror");
    void *handle = open != NULL ? open(path, flags) : NULL;
    if (handle == NULL) {
        const char *why = open != NULL && error != NULL ? error() : NULL;
        if (ret_why != NULL) {
            *ret_why = why;
        }
    }
    return handle;
}

void loader_close(void *handle)
{
    int (*function)(void *) = (int (*)(void *))loaders_own("dlclose");
    if (function != NULL && function(handle) != 0) {
        (void)take_error();
    }
}
