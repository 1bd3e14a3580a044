#include "shim/real.h"

#include "shim/loader.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* NULL: not looked for, or not found so far. A name that was not found is looked for
 * again at its next use, since libpthread may be loaded later (glibc before 2.34); where that
 * is there it is absent for good, as pthread_getattr_default_np is before 2.18. */
#define REAL_SLOT(name, result, parameters)                                                        \
    static _Atomic(void *) slot_##name;                                                            \
    static _Atomic bool absent_##name;
REAL_FUNCTIONS(REAL_SLOT)
#undef REAL_SLOT

/* First and last byte of this library, from the linker: no path to compare, no lock of the
 * loader's to take. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

static bool is_our_own(const void *address)
{
    return (uintptr_t)address >= (uintptr_t)__ehdr_start && (uintptr_t)address < (uintptr_t)_end;
}

static void *resolve(_Atomic(void *) *slot, _Atomic bool *absent, const char *name)
{
    if (atomic_load_explicit(absent, memory_order_relaxed)) {
        return NULL;
    }
    bool has_libpthread = atomic_load_explicit(&slot_pthread_create, memory_order_relaxed) != NULL;
    void *function = loader_symbol(RTLD_NEXT, name);
    if (function == NULL || is_our_own(function)) {
        /* libpthread may stand before us in the search order. */
        function = loader_symbol(RTLD_DEFAULT, name);
        if (function == NULL || is_our_own(function)) {
            atomic_store_explicit(absent, has_libpthread, memory_order_relaxed);
            return NULL;
        }
    }
    atomic_store_explicit(slot, function, memory_order_release);
    return function;
}

#define REAL_ACCESSOR(name, result, parameters)                                                    \
    real_##name##_function *real_##name(void)                                                      \
    {                                                                                              \
        void *function = atomic_load_explicit(&slot_##name, memory_order_acquire);                 \
        if (__builtin_expect(function == NULL, 0)) {                                               \
            function = resolve(&slot_##name, &absent_##name, #name);                               \
        }                                                                                          \
        return (real_##name##_function *)(uintptr_t)function;                                      \
    }
REAL_FUNCTIONS(REAL_ACCESSOR)
#undef REAL_ACCESSOR

void real_resolve_all(void)
{
#define REAL_RESOLVE(name, result, parameters) (void)real_##name();
    REAL_FUNCTIONS(REAL_RESOLVE)
#undef REAL_RESOLVE
}
