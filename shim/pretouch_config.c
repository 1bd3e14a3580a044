#include "shim/pretouch_config.h"

#include "shim/runtime.h"

#include <stdbool.h>

static bool is_allowed(void)
{
    switch (runtime_verdict().reason) {
    case VERDICT_REASON_NOT_EVALUATED:
    case VERDICT_REASON_FORCED_OFF:
    case VERDICT_REASON_PROGRAM_NOT_SELECTED:
    case VERDICT_REASON_LIBC_UNSUPPORTED:
        return false;
    default:
        return true;
    }
}

size_t pretouch_stack_depth(void)
{
    return is_allowed() ? runtime_config()->pretouch_stack_bytes : 0;
}

enum config_pretouch_heap pretouch_heap_mode(void)
{
    return is_allowed() ? runtime_config()->pretouch_heap : CONFIG_PRETOUCH_OFF;
}
