/* A libthpfix.so of another age, or none at all. */
#include <stdint.h>

#ifdef OTHER_MAGIC
__attribute__((visibility("default"))) struct {
    uint64_t magic;
    uint32_t version, size_bytes;
    uint64_t fields[64];
} thpfix_counters = {OTHER_MAGIC, 99, sizeof(thpfix_counters), {1}};
#else
__attribute__((visibility("default"))) int something_else = 1;
#endif
