#include "shim/sites/stack_room.h"

#include "detect/units.h"
#include "shim/stack_bounds.h"

#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* With an unlimited first stack: what lies deeper is another mapping for all we know. The
 * kernel keeps at least this much free below it. */
#define FIRST_STACK_MOST ((size_t)128 * MIB)

/* By stack_room_start. */
static size_t page_bytes;
static uintptr_t first_stack_top; /* what the kernel put above everything else on it */

void stack_room_start(void)
{
    page_bytes = (size_t)getauxval(AT_PAGESZ);
    first_stack_top = (uintptr_t)getauxval(AT_RANDOM);
}

static bool has_on_first_stack(uintptr_t stack_pointer, size_t bytes)
{
    struct rlimit limit;
    if (stack_pointer >= first_stack_top || getrlimit(RLIMIT_STACK, &limit) != 0) {
        return false;
    }
    size_t most = limit.rlim_cur < FIRST_STACK_MOST ? (size_t)limit.rlim_cur : FIRST_STACK_MOST;
    size_t used = first_stack_top - stack_pointer;
    return used < most && most - used >= bytes;
}

bool stack_room_has(size_t bytes, uintptr_t *ret_end)
{
    struct stack_bounds bounds;
    uintptr_t stack_pointer = (uintptr_t)__builtin_frame_address(0);
    if (stack_bounds_of_caller(page_bytes, &bounds)) {
        *ret_end = bounds.end;
        return stack_pointer - bounds.base - bounds.guard_bytes >= bytes;
    }
    *ret_end = first_stack_top;
    return syscall(SYS_gettid) == getpid() && has_on_first_stack(stack_pointer, bytes);
}
