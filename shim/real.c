#include "shim/real.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* NULL: not looked for, or not found so far. A name that was not found is looked for
 * again at its next use: libpthread may be loaded later (glibc before 2.34). */
#define REAL_SLOT(name, result, parameters) static _Atomic(void *) slot_##name;
REAL_FUNCTIONS(REAL_SLOT)
#undef REAL_SLOT

/* Does the address lie in this library? Asked of the loader for the object base, not of
 * a path: files are renamed and removed under running programs. */
static bool is_our_own(void *address)
{
    Dl_info ours, theirs;
    return dladdr((void *)(uintptr_t)&real_resolve_all, &ours) != 0 &&
           dladdr(address, &theirs) != 0 && ours.dli_fbase == theirs.dli_fbase;
}

static void *resolve(_Atomic(void *) *slot, const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);
    if (function == NULL || is_our_own(function)) {
        /* libpthread may stand before us in the search order. */
        function = dlsym(RTLD_DEFAULT, name);
        if (function == NULL || is_our_own(function)) {
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
            function = resolve(&slot_##name, #name);                                               \
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
