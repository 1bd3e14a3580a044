#include "shim/pretouch_config.h"

#include "shim/runtime.h"

size_t pretouch_stack_depth(void)
{
    size_t depth = runtime_config()->pretouch_stack_bytes;
    return depth != 0 && runtime_selected() ? depth : 0;
}

enum config_pretouch_heap pretouch_heap_mode(void)
{
    return runtime_selected() ? runtime_config()->pretouch_heap : CONFIG_PRETOUCH_OFF;
}
