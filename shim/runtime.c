#include "shim/runtime.h"

#include "detect/host.h"
#include "detect/root_read.h"
#include "detect/units.h"
#include "shim/counters.h"
#include "shim/default_attr.h"
#include "shim/environment.h"
#include "shim/growth.h"
#include "shim/log.h"
#include "shim/real.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LOOK_AGAIN_MS ((uint64_t)10000)

enum state { STATE_NEW, STATE_STARTING, STATE_READY };

static struct runtime {
    _Atomic int state; /* NEW to STARTING by compare-and-swap; READY by the same thread */

    /* Written by the starting thread before READY, constant afterwards. */
    struct config config;
    const char *program;
    size_t page_bytes, thp_bytes;
    bool settled; /* the verdict does not depend on the THP mode */

    _Atomic unsigned verdict;      /* kind and reason; by the thread that looked */
    _Atomic int exemption;         /* enum stack_exemption, once it is known */
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

/* Asks the probe again only where it could not tell. */
static struct verdict look_at_host(const struct thp_policy *policy)
{
    struct verdict_facts facts = {.policy = *policy};
    if (thp_policy_effective(policy) == THP_MODE_ALWAYS) {
        facts.optout = host_thp_optout();
        facts.exemption =
            (enum stack_exemption)atomic_load_explicit(&runtime.exemption, memory_order_relaxed);
        if (facts.exemption == STACK_EXEMPTION_UNKNOWN) {
            facts.exemption = host_probe_stack_exemption(ROOT_HOST, runtime.page_bytes);
            atomic_store_explicit(&runtime.exemption, (int)facts.exemption, memory_order_relaxed);
        }
    }
    return verdict_decide(&facts);
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

static void look_again(void)
{
    struct thp_policy policy;
    host_read_thp_policy(ROOT_HOST, runtime.page_bytes, &policy);
    if (policy.enabled_status != READ_OK) {
        return; /* a chroot, a descriptor limit: no news is no change */
    }
    struct verdict before = runtime_verdict(), now = look_at_host(&policy);
    if ((now.kind == before.kind && now.reason == before.reason) || now.kind == VERDICT_UNKNOWN) {
        return; /* a part could not be read just now: the last answer stands */
    }
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
        look_again();
        errno = saved;
    }
}

/* What is decided whatever the host is like; else not evaluated. */
static struct verdict verdict_without_looking(void)
{
    if (real_gnu_get_libc_version() == NULL) {
        return (struct verdict){VERDICT_INERT, VERDICT_REASON_LIBC_UNSUPPORTED};
    }
    if (runtime.config.mode == CONFIG_OFF) {
        return (struct verdict){VERDICT_INERT, VERDICT_REASON_FORCED_OFF};
    }
    if (!config_selects(&runtime.config, runtime.program)) {
        return (struct verdict){VERDICT_INERT, VERDICT_REASON_PROGRAM_NOT_SELECTED};
    }
    if (runtime.config.mode == CONFIG_ON) {
        return (struct verdict){VERDICT_ACTIVE, VERDICT_REASON_FORCED_ON};
    }
    return (struct verdict){VERDICT_UNKNOWN, VERDICT_REASON_NOT_EVALUATED};
}

/* Whether the kernel exempts stacks is told first: where it does, nothing can change that,
 * and no file is opened again, however long the program runs. */
static struct verdict first_verdict(void)
{
    struct verdict verdict = verdict_without_looking();
    struct thp_policy policy = {0};
    runtime.settled = verdict.reason != VERDICT_REASON_NOT_EVALUATED;
    if (!runtime.settled) {
        runtime.exemption = host_probe_stack_exemption(ROOT_HOST, runtime.page_bytes);
        if (runtime.exemption == STACK_EXEMPT) {
            runtime.settled = true;
            verdict = (struct verdict){VERDICT_INERT, VERDICT_REASON_STACKS_EXEMPT};
        }
    }
    if (!runtime.settled || verdict.kind == VERDICT_ACTIVE) {
        host_read_thp_policy(ROOT_HOST, runtime.page_bytes, &policy);
    }
    runtime.thp_bytes = is_power_of_two(policy.pmd_bytes) ? policy.pmd_bytes
                                                          : pmd_bytes_from_page(runtime.page_bytes);
    return runtime.settled ? verdict : look_at_host(&policy);
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
    COUNTER_SET(settings.page_bytes, runtime.page_bytes);
    COUNTER_SET(settings.thp_bytes, runtime.thp_bytes);
}

static void start(void)
{
    environment_read_config(&runtime.config);
    log_set_target(runtime.config.log);
    runtime.program = environment_program();
    runtime.page_bytes = (size_t)getauxval(AT_PAGESZ);
    if (!is_power_of_two(runtime.page_bytes)) {
        runtime.page_bytes = 4096;
    }
    struct verdict verdict = first_verdict();
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
    if (!runtime.settled) {
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
        .page_bytes = runtime.page_bytes,
        .thp_bytes = runtime.thp_bytes,
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
    return runtime.page_bytes;
}

size_t runtime_thp_bytes(void)
{
    return runtime.thp_bytes;
}

const struct config *runtime_config(void)
{
    return &runtime.config;
}

const char *runtime_program(void)
{
    return runtime.program != NULL ? runtime.program : "";
}
