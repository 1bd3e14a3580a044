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

static dlsym_function *dlsym_of_libdl(void)
{
    static _Atomic(dlsym_function *) found; /* any thread, to the same value */
    dlsym_function *function = atomic_load_explicit(&found, memory_order_acquire);
    if (function != NULL || __libc_dlopen_mode == NULL || __libc_dlsym == NULL) {
        return function;
    }
    void *libdl = __libc_dlopen_mode("libdl.so.2", RTLD_NOW | CALLED_LIKE_DLOPEN);
    if (libdl != NULL) {
        function = (dlsym_function *)(uintptr_t)__libc_dlsym(libdl, "dlsym");
        atomic_store_explicit(&found, function, memory_order_release);
    }
    return function;
}

void *loader_symbol(void *handle, const char *name)
{
    dlsym_function *function = dlsym_if_there != NULL ? dlsym_if_there : dlsym_of_libdl();
    return function != NULL ? function(handle, name) : NULL;
}

void *loader_open(const char *path, int flags, const char **ret_why)
{
    void *(*open)(const char *, int) =
        (void *(*)(const char *, int))loader_symbol(RTLD_DEFAULT, "dlopen");
    /* Before the call: to look a symbol up is to forget the error. */
    const char *(*error)(void) = (const char *(*)(void))loader_symbol(RTLD_DEFAULT, "dlerror");
    void *handle = open != NULL ? open(path, flags) : NULL;
    if (handle == NULL && ret_why != NULL) {
        *ret_why = open != NULL && error != NULL ? error() : NULL;
    }
    return handle;
}

void loader_close(void *handle)
{
    int (*function)(void *) = (int (*)(void *))loader_symbol(RTLD_DEFAULT, "dlclose");
    if (function != NULL) {
        (void)function(handle);
    }
}
