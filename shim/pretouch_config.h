/* What of pretouching is asked for in this process: the configuration, and nothing where
 * the library is not to act at all (THPFIX=off, THPFIX_EXCLUDE). The verdict on THP plays
 * no part. Nothing before the runtime has started. Any thread, after fork, in a signal
 * handler. */
#ifndef THPFIX_SHIM_PRETOUCH_CONFIG_H
#define THPFIX_SHIM_PRETOUCH_CONFIG_H

#include "shim/config.h"
#include <stddef.h>

size_t pretouch_stack_depth(void); /* bytes; 0: no */
enum config_pretouch_heap pretouch_heap_mode(void);

#endif
