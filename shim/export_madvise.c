/* The interposed madvise.
 *
 * Programs call it inside malloc, with locks held, in signal handlers and after fork. So
 * where nothing is asked for it is one load and a jump to the function next in line. That
 * is looked up by the constructor, not by the first call: dlsym may allocate. */

#include "shim/pretouch_heap.h"
#include "shim/loader.h"
#include "shim/runtime.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef int madvise_function(void *address, size_t bytes, int advice);

static int madvise_by_kernel(void *address, size_t bytes, int advice)
{
    return (int)syscall(SYS_madvise, address, bytes, advice);
}

/* Both written by the constructor; before it has run, a call goes to the kernel. */
static _Atomic(madvise_function *) next_in_line = madvise_by_kernel;
static _Atomic(madvise_function *) way = madvise_by_kernel;

/* Is jumped to, so that the address it returns to is in the program. */
static int madvise_and_pretouch(void *address, size_t bytes, int advice)
{
    madvise_function *next = atomic_load_explicit(&next_in_line, memory_order_acquire);
    int result = next(address, bytes, advice);
    if (result == 0) {
        pretouch_heap_advised(address, bytes, advice, __builtin_return_address(0));
    }
    return result;
}

__attribute__((visibility("default"))) int madvise(void *address, size_t bytes, int advice)
{
    return atomic_load_explicit(&way, memory_order_acquire)(address, bytes, advice);
}

__attribute__((constructor)) static void madvise_start(void)
{
    madvise_function *next = (madvise_function *)(uintptr_t)loader_symbol(RTLD_NEXT, "madvise");
    if (next != NULL) {
        atomic_store_explicit(&next_in_line, next, memory_order_release);
        atomic_store_explicit(&way, next, memory_order_release);
    }
    runtime_start();
    if (pretouch_heap_start()) {
        atomic_store_explicit(&way, madvise_and_pretouch, memory_order_release);
    }
}
