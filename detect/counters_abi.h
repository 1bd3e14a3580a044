/* The counters of libthpfix.so as they lie in memory.
 *
 * Shared by the library, which writes them, and the command, which reads them from
 * outside (process_vm_readv on the exported object thpfix_counters). An interface
 * between two files of possibly different age: append only, and raise
 * COUNTERS_VERSION when the meaning of a field changes. Every field is a 64-bit
 * count in native byte order, changed atomically, and may be read at any time.
 */
#ifndef THPFIX_DETECT_COUNTERS_ABI_H
#define THPFIX_DETECT_COUNTERS_ABI_H

#include <stdint.h>

#define COUNTERS_MAGIC   UINT64_C(0x7874636978667074) /* "tpfxictx" */
#define COUNTERS_VERSION 1
#define COUNTERS_SYMBOL  "thpfix_counters"

/* X(field, help): one line makes the field, its name and its help. */
#define COUNTERS(X)                                                                                \
    X(threads_seen, "thread creations that went through the library")                              \
    X(threads_padded, "stacks made larger to keep their top clear of a THP boundary")              \
    X(threads_guarded, "stacks that were given a guard page")                                      \
    X(threads_flagged, "stacks put under MADV_NOHUGEPAGE")                                         \
    X(tops_released, "stack tops that could be a huge page already and were given back")           \
    X(left_alone_callers_stack, "threads on a stack that the caller supplied")                     \
    X(left_alone_guard_budget, "stacks without a new guard: the map count is nearly used up")      \
    X(left_alone_pool_empty, "threads started without the trampoline: no free start record")       \
    X(left_alone_not_located, "stacks whose bounds could not be told with certainty")              \
    X(retried_as_asked, "creations that failed as changed and were made as asked")                 \
    X(mode_changes, "changes of the verdict while running")                                        \
    X(verdict_kind, "enum verdict_kind now")                                                       \
    X(verdict_reason, "enum verdict_reason now")                                                   \
    X(gate_passes, "thread starts that held a start gate")                                         \
    X(gate_contended, "thread starts that had to wait at a gate")                                  \
    X(gate_wait_ns, "time spent waiting at the gates, in ns")                                      \
    X(gate_longest_wait_ns, "longest single wait at a gate, in ns")                                \
    X(gate_timeouts, "gates taken from a holder that stayed longer than the limit")                \
    X(gate_reentries, "thread starts from inside a thread start, let through")                     \
    X(jvm_start_not_found, "calls of JVM_StartThread for which no JVM was found")                  \
    X(left_alone_no_growth, "stacks not made larger: address space or locked memory is limited")   \
    X(pretouch_stacks, "thread stacks populated before their start routine")                       \
    X(pretouch_ranges, "ranges under MADV_HUGEPAGE that were taken up to be populated")            \
    X(pretouch_bytes, "bytes of those ranges that were populated")                                 \
    X(pretouch_at_limit, "ranges not populated to the end: a memory limit was near")               \
    X(pretouch_given_up, "ranges not populated to the end: unmapped, protected or given back")     \
    X(pretouch_left_alone, "ranges not taken up: a file, malloc's own, or no thread to be had")

/* The configuration in force, in the same form, with room to append.
 * X(field, environment variable, help) */
#define COUNTERS_SETTINGS(X)                                                                       \
    X(config_mode, "THPFIX", "0 auto, 1 on, 2 off")                                                \
    X(config_gate, "THPFIX_GATE", "0 auto, 1 off, 2 jvm, 3 all")                                   \
    X(config_guard_bytes, "THPFIX_GUARD", "0 is one page")                                         \
    X(config_user_stacks, "THPFIX_USER_STACKS", "0 or 1")                                          \
    X(config_inherit, "THPFIX_INHERIT", "0 or 1")                                                  \
    X(config_pretouch_stack_bytes, "THPFIX_PRETOUCH_STACK", "0 is off")                            \
    X(config_pretouch_heap, "THPFIX_PRETOUCH_HEAP", "0 off, 1 now, 2 background")                  \
    X(page_bytes, "", "page size")                                                                 \
    X(thp_bytes, "", "THP size")
#define COUNTERS_SETTINGS_MAX 16

struct counters_settings {
#define COUNTERS_SETTING(field, variable, help) uint64_t field;
    COUNTERS_SETTINGS(COUNTERS_SETTING)
#undef COUNTERS_SETTING
};

struct counters {
    uint64_t magic;
    uint32_t version;
    uint32_t size_bytes; /* of this struct: fields beyond it do not exist */
    union {
        struct counters_settings settings;
        uint64_t settings_room[COUNTERS_SETTINGS_MAX];
    };
#define COUNTERS_FIELD(field, help) uint64_t field;
    COUNTERS(COUNTERS_FIELD)
#undef COUNTERS_FIELD
};

_Static_assert(sizeof(uint64_t) == 8 && _Alignof(struct counters) >= 4, "counters layout");
_Static_assert(__builtin_offsetof(struct counters, settings) == 16, "counters layout");
_Static_assert(__builtin_offsetof(struct counters, threads_seen) == 144, "counters layout");
_Static_assert(sizeof(struct counters_settings) / sizeof(uint64_t) <= COUNTERS_SETTINGS_MAX,
               "counters layout");

#endif
