#include "shim/runtime.h"

#include "detect/root_read.h"
#include "detect/units.h"
#include "shim/counters.h"
#include "shim/default_attr.h"
#include "shim/environment.h"
#include "shim/growth.h"
#include "shim/log.h"
#include "shim/look.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <time.h>

#define LOOK_AGAIN_MS ((uint64_t)10000)

enum state { STATE_NEW, STATE_STARTING, STATE_READY };

static struct runtime {
    _Atomic int state; /* NEW to STARTING by compare-and-swap; READY by the same thread */

    /* Written by the starting thread before READY, constant afterwards (look.h says what of a
     * look is not). */
    struct config config;
    const char *program;

    struct look look;

    _Atomic unsigned verdict;      /* kind and reason; by the thread that looked */
    _Atomic uint64_t looked_at_ms; /* by the thread that looks: claims by compare-and-swap */
    _Atomic bool sizes_encoded;    /* any thread, to true */
} runtime;

static void publish_verdict(struct verdict verdict)
{
    atomic_store_explicit(&runtime.verdict, (unsigned)verdict.kind | (unsigned)verdict.reason << 8,
                          memory_order_release);
    COUNTER_SET(verdict_kind, verdict.kind);
    COUNTER_SET(verdict_reason, verdict.reason);
}

struct verdict runtime_verdict(void)
{
    unsigned word = atomic_load_explicit(&runtime.verdict, memory_order_acquire);
    return (struct verdict){(enum verdict_kind)(word & 0xff), (enum verdict_reason)(word >> 8)};
}

/* No system call: the C library asks the vDSO. A preloaded library that lies about the
 * time only shifts the next look. */
static uint64_t now_ms(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Where nothing may grow, the defaults do not either. */
static void encode_default_size(void)
{
    struct plan_limits limits;
    runtime_plan_limits(&limits);
    if (growth_allowed() && default_attr_encode(&limits)) {
        runtime_note_sizes_encoded();
    }
}

static void decode_default_size(void)
{
    struct plan_limits limits;
    runtime_plan_limits(&limits);
    default_attr_decode(&limits);
}

static void note_change(struct verdict before, struct verdict now)
{
    publish_verdict(now);
    COUNTER_ADD(mode_changes, 1);
    if (now.kind == VERDICT_ACTIVE) {
        encode_default_size();
    } else if (before.kind == VERDICT_ACTIVE) {
        decode_default_size();
    }
}

static void look_again_when_old(void)
{
    uint64_t now = now_ms();
    uint64_t looked = atomic_load_explicit(&runtime.looked_at_ms, memory_order_relaxed);
    if (now - looked >= LOOK_AGAIN_MS &&
        atomic_compare_exchange_strong_explicit(&runtime.looked_at_ms, &looked, now,
                                                memory_order_relaxed, memory_order_relaxed)) {
        int saved = errno;
        struct verdict before = runtime_verdict(), changed;
        if (look_again(ROOT_HOST, &runtime.look, before, &changed)) {
            note_change(before, changed);
        }
        errno = saved;
    }
}

/* The configuration in force, for who looks from outside. */
static void publish_settings(void)
{
    COUNTER_SET(settings.config_mode, runtime.config.mode);
    COUNTER_SET(settings.config_gate, runtime.config.gate);
    COUNTER_SET(settings.config_guard_bytes, runtime.config.guard_bytes);
    COUNTER_SET(settings.config_user_stacks, runtime.config.user_stacks);
    COUNTER_SET(settings.config_inherit, runtime.config.inherit);
    COUNTER_SET(settings.config_pretouch_stack_bytes, runtime.config.pretouch_stack_bytes);
    COUNTER_SET(settings.config_pretouch_heap, runtime.config.pretouch_heap);
    COUNTER_SET(settings.page_bytes, runtime.look.page_bytes);
    COUNTER_SET(settings.thp_bytes, runtime.look.thp_bytes);
}

static void start(void)
{
    environment_read_config(&runtime.config);
    log_set_target(runtime.config.log);
    runtime.program = environment_program();
    size_t page_bytes = (size_t)getauxval(AT_PAGESZ);
    struct verdict verdict =
        look_first(ROOT_HOST, &runtime.config, runtime.program,
                   is_power_of_two(page_bytes) ? page_bytes : 4096, &runtime.look);
    publish_settings();
    atomic_store_explicit(&runtime.looked_at_ms, now_ms(), memory_order_relaxed);
    publish_verdict(verdict);
}

void runtime_start(void)
{
    int expected = STATE_NEW;
    if (!atomic_compare_exchange_strong_explicit(&runtime.state, &expected, STATE_STARTING,
                                                 memory_order_acquire, memory_order_relaxed)) {
        return;
    }
    int saved = errno;
    start();
    atomic_store_explicit(&runtime.state, STATE_READY, memory_order_release);
    if (runtime_verdict().kind == VERDICT_ACTIVE) {
        encode_default_size();
    }
    errno = saved;
}

static bool is_ready(void)
{
    if (__builtin_expect(atomic_load_explicit(&runtime.state, memory_order_acquire) == STATE_READY,
                         1)) {
        return true;
    }
    runtime_start();
    return atomic_load_explicit(&runtime.state, memory_order_acquire) == STATE_READY;
}

bool runtime_active(void)
{
    if (!is_ready()) {
        return false;
    }
    if (!runtime.look.settled) {
        look_again_when_old();
    }
    return runtime_verdict().kind == VERDICT_ACTIVE;
}

bool runtime_selected(void)
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

enum config_gate runtime_gate(void)
{
    return is_ready() && runtime_selected() ? runtime.config.gate : CONFIG_GATE_OFF;
}

void runtime_plan_limits(struct plan_limits *ret_limits)
{
    *ret_limits = (struct plan_limits){
        .page_bytes = runtime.look.page_bytes,
        .thp_bytes = runtime.look.thp_bytes,
        .guard_bytes = runtime.config.guard_bytes,
        .may_add_guard = true,
        .may_pad = true,
        .user_stacks = runtime.config.user_stacks,
    };
}

bool runtime_sizes_encoded(void)
{
    return atomic_load_explicit(&runtime.sizes_encoded, memory_order_relaxed);
}

void runtime_note_sizes_encoded(void)
{
    atomic_store_explicit(&runtime.sizes_encoded, true, memory_order_relaxed);
}

size_t runtime_page_bytes(void)
{
    return runtime.look.page_bytes;
}

size_t runtime_thp_bytes(void)
{
    return runtime.look.thp_bytes;
}

const struct config *runtime_config(void)
{
    return &runtime.config;
}

const char *runtime_program(void)
{
    return runtime.program != NULL ? runtime.program : "";
}
