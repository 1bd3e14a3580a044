#include "shim/jvm_real.h"

#include "shim/loader.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Indices in the JNI function table. */
#define JNI_FIND_CLASS 6
#define JNI_THROW_NEW  14

static jvm_start_thread_function *found; /* any thread, to the same value */

struct object_search {
    size_t index; /* wanted */
    size_t at;
    char name[PATH_MAX];
};

static int copy_name(struct dl_phdr_info *info, size_t size, void *data)
{
    struct object_search *const search = data;
    (void)size;
    if (search->at++ < search->index) {
        return 0;
    }
    const size_t length = strlen(info->dlpi_name);
    /* A name that does not fit is left empty, like the main program's. */
    if (length < sizeof search->name) {
        memcpy(search->name, info->dlpi_name, length + 1);
    }
    return 1;
}

static void *symbol_in(const char *object, const void *ours)
{
    void *const handle = loader_open(object, RTLD_NOLOAD | RTLD_LAZY, NULL);
    if (handle == NULL) {
        return NULL;
    }
    void *const symbol = loader_symbol(handle, "JVM_StartThread");
    if (symbol == NULL || symbol == ours) {
        loader_close(handle);
        return NULL;
    }
    /* The handle stays open: the address has to stay valid. */
    return symbol;
}

/* Asks every object, not only one called libjvm.so: a JVM may be part of something else.
 * The names are fetched one at a time, since dlopen inside of dl_iterate_phdr takes the
 * loader's two locks in the wrong order. */
static void *symbol_anywhere(const void *ours)
{
    for (size_t i = 0;; i++) {
        struct object_search search = {.index = i};
        if (dl_iterate_phdr(copy_name, &search) == 0) {
            return NULL;
        }
        /* The main program has no name; what it can see, RTLD_NEXT has seen. */
        if (search.name[0] == '\0') {
            continue;
        }
        void *const symbol = symbol_in(search.name, ours);
        if (symbol != NULL) {
            return symbol;
        }
    }
}

jvm_start_thread_function *jvm_real_start_thread(jvm_start_thread_function *ours)
{
    jvm_start_thread_function *function = __atomic_load_n(&found, __ATOMIC_ACQUIRE);
    if (__builtin_expect(function != NULL, true)) {
        return function;
    }
    const int saved_errno = errno;
    const void *const our_address = (void *)(uintptr_t)ours;
    void *symbol = loader_symbol(RTLD_NEXT, "JVM_StartThread");
    if (symbol == NULL || symbol == our_address) {
        symbol = symbol_anywhere(our_address);
    }
    function = (jvm_start_thread_function *)(uintptr_t)symbol;
    __atomic_store_n(&found, function, __ATOMIC_RELEASE);
    errno = saved_errno;
    return function;
}

void jvm_real_throw_not_found(struct jvm_env *env)
{
    void *(*const find_class)(struct jvm_env *, const char *) =
        (void *(*)(struct jvm_env *, const char *))env->functions[JNI_FIND_CLASS];
    int (*const throw_new)(struct jvm_env *, void *, const char *) =
        (int (*)(struct jvm_env *, void *, const char *))env->functions[JNI_THROW_NEW];

    void *const class = find_class(env, "java/lang/UnsatisfiedLinkError");
    if (class != NULL) { /* otherwise find_class has raised an error itself */
        throw_new(env, class, "JVM_StartThread");
    }
}
