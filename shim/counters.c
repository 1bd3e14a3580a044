#include "shim/counters.h"

/* Exported: `thpfix stat` reads it from outside. */
__attribute__((visibility("default"))) struct counters thpfix_counters = {
    .magic = COUNTERS_MAGIC,
    .version = COUNTERS_VERSION,
    .size_bytes = sizeof(struct counters),
};
