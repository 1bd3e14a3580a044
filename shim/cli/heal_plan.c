#include "shim/cli/heal_plan.h"
#include "detect/units.h"

#include <string.h>
#include <sys/syscall.h>

/* The list of calls lies there, and must outlive them. */
#define MARGIN_BYTES HEAL_ROOM_BYTES
/* What lies above a descriptor in its stack, static TLS on some machines. */
#define ABOVE_MAX ((uint64_t)64 * MIB)

bool heal_plan_on_stack(const struct heal_stack *stack, uint64_t pointer, uint64_t thread_pointer)
{
    return stack->base <= stack->low && stack->low < pointer && pointer < thread_pointer &&
           thread_pointer < stack->end && stack->end - thread_pointer <= ABOVE_MAX;
}

uint64_t heal_plan_dead_end(const struct heal_stack *stack, uint64_t pointer, size_t page_bytes)
{
    if (pointer - stack->low <= MARGIN_BYTES) {
        return stack->low;
    }
    uint64_t end = align_down(pointer - MARGIN_BYTES, page_bytes);
    return end > stack->low ? end : stack->low;
}

void heal_plan_begin(struct heal_plan *plan, const struct heal_stack *stack, size_t page_bytes)
{
    plan->count = 0;
    plan->bytes = 0;
    plan->page_bytes = page_bytes;
    if (!stack->exempt) {
        plan->calls[plan->count++] =
            (struct heal_call){stack->base, stack->end - stack->base, MADV_NOHUGEPAGE, SYS_madvise};
    }
}

bool heal_plan_add_page(struct heal_plan *plan, uint64_t address)
{
    if (plan->calls == NULL) {
        return false;
    }
    struct heal_call *last = plan->count != 0 ? &plan->calls[plan->count - 1] : NULL;
    if (last != NULL && last->advice == MADV_DONTNEED && last->address + last->bytes == address) {
        last->bytes += plan->page_bytes;
    } else if (plan->count + 1 < plan->room) {
        plan->calls[plan->count++] =
            (struct heal_call){address, plan->page_bytes, MADV_DONTNEED, SYS_madvise};
    } else {
        return false;
    }
    plan->bytes += plan->page_bytes;
    return true;
}

void heal_plan_end(struct heal_plan *plan, const struct heal_stack *stack)
{
    if (plan->bytes != 0 && !plan->split_outside) {
        plan->calls[plan->count++] =
            (struct heal_call){stack->low, stack->end - stack->low, MADV_COLD, SYS_madvise};
    }
}

bool heal_plan_all_zero(const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    return size == 0 || (at[0] == 0 && memcmp(at, at + 1, size - 1) == 0);
}
