#include "shim/gate.h"

#include "shim/counters.h"
#include "shim/futex.h"
#include "shim/wiped_memory.h"

/* Thread ids have 22 bits (PID_MAX_LIMIT), so this one is free. */
#define WAITERS UINT32_C(0x80000000)

static struct gate unwiped_gates[GATE_COUNT];
static struct gate *published_gates; /* set once, by whoever comes first */
static int32_t native_crowd;         /* before that, by whoever comes, to the same value */

static uint32_t own_thread_id(void)
{
    const long id = syscall(SYS_gettid);
    return id > 0 ? (uint32_t)id : 0;
}

static bool holder_exists(uint32_t word)
{
    return syscall(SYS_tgkill, syscall(SYS_getpid), (pid_t)(word & ~WAITERS), 0) == 0 ||
           errno != ESRCH;
}

static bool replace_word(struct gate *gate, uint32_t expected, uint32_t desired)
{
    return __atomic_compare_exchange_n(&gate->word, &expected, desired, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED);
}

static uint32_t begin_tenancy(struct gate *gate, uint32_t self)
{
    __atomic_fetch_add(&gate->tenancy, 1, __ATOMIC_RELAXED);
    COUNTER_ADD(gate_passes, 1);
    return self;
}

static void count_wait(uint64_t wait_ns)
{
    COUNTER_ADD(gate_contended, 1);
    COUNTER_ADD(gate_wait_ns, wait_ns);
    uint64_t longest_ns = COUNTER_GET(gate_longest_wait_ns);
    while (wait_ns > longest_ns &&
           !__atomic_compare_exchange_n(&thpfix_counters.gate_longest_wait_ns, &longest_ns, wait_ns,
                                        false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

static uint64_t deadline_from(uint64_t now_ns, const struct gate_rules *rules)
{
    return rules->limit_ns == UINT64_MAX ? UINT64_MAX : now_ns + rules->limit_ns;
}

/* True when self holds the gate, false when it has to go through without. */
static bool wait_for_turn(struct gate *gate, const struct gate_rules *rules, uint32_t self)
{
    uint32_t tenancy = __atomic_load_n(&gate->tenancy, __ATOMIC_RELAXED);
    uint64_t deadline_ns = deadline_from(futex_now_ns(), rules);
    bool overdue = false;

    for (;;) {
        uint32_t word = __atomic_load_n(&gate->word, __ATOMIC_RELAXED);
        if (word == 0) {
            /* With the bit, since there may be others; at worst one idle wake-up. */
            if (replace_word(gate, 0, self | WAITERS)) {
                return true;
            }
            continue;
        }
        /* Before giving up too: the wake-up that brought us here may have been for
         * others, and the next must not be lost. */
        if (!(word & WAITERS)) {
            if (!replace_word(gate, word, word | WAITERS)) {
                continue;
            }
            word |= WAITERS;
        }
        const uint32_t tenancy_now = __atomic_load_n(&gate->tenancy, __ATOMIC_RELAXED);
        if (tenancy_now != tenancy) {
            /* The gate moves on. The limit is for one holder: were it for the whole
             * wait, a full queue would burst open all at once. */
            tenancy = tenancy_now;
            deadline_ns = deadline_from(futex_now_ns(), rules);
            overdue = false;
        }
        if (overdue || (rules->check_holder && !holder_exists(word))) {
            if (replace_word(gate, word, self | WAITERS)) {
                COUNTER_ADD(gate_timeouts, overdue);
                return true;
            }
            continue;
        }
        const int error = futex_wait(&gate->word, word, deadline_ns);
        if (error == -ETIMEDOUT) {
            overdue = true;
        } else if (error != 0) {
            return false;
        }
    }
}

uint32_t gate_enter_by(struct gate *gate, const struct gate_rules *rules)
{
    if (__atomic_fetch_add(&gate->crowd, 1, __ATOMIC_RELAXED) < rules->crowd) {
        return 0;
    }
    const int saved_errno = errno;
    const uint32_t self = own_thread_id();
    uint32_t ticket = 0;

    if (self == 0) {
        errno = saved_errno; /* a seccomp filter: no identity, no gate */
        return 0;
    }
    if (replace_word(gate, 0, self)) {
        return begin_tenancy(gate, self);
    }
    const uint32_t word = __atomic_load_n(&gate->word, __ATOMIC_RELAXED);
    if (rules->reentry && (word & ~WAITERS) == self) {
        COUNTER_ADD(gate_reentries, 1);
        return 0;
    }
    const uint64_t since_ns = futex_now_ns();
    if (wait_for_turn(gate, rules, self)) {
        ticket = begin_tenancy(gate, self);
    }
    count_wait(futex_now_ns() - since_ns);
    errno = saved_errno;
    return ticket;
}

void gate_leave_by(struct gate *gate, uint32_t ticket)
{
    __atomic_fetch_sub(&gate->crowd, 1, __ATOMIC_RELAXED);
    if (ticket == 0 || replace_word(gate, ticket, 0)) {
        return;
    }
    if (replace_word(gate, ticket | WAITERS, 0)) {
        const int saved_errno = errno;
        futex_wake(&gate->word, 1);
        errno = saved_errno;
    }
}

struct gate *gate_wiped_memory(void)
{
    return wiped_memory_map(sizeof unwiped_gates);
}

void gate_free_memory(struct gate *gates)
{
    wiped_memory_unmap(gates, sizeof unwiped_gates);
}

static int32_t crowd_of_this_process(void)
{
    const int saved_errno = errno;
    unsigned long cpus[128] = {0};
    int32_t count = 0;
    /* Fails where the machine has more CPUs than this: nobody knows what is a crowd there. */
    if (syscall(SYS_sched_getaffinity, 0, sizeof cpus, cpus) < 0) {
        count = INT16_MAX;
    }
    for (size_t i = 0; i < sizeof cpus / sizeof cpus[0]; i++) {
        count += __builtin_popcountl(cpus[i]);
    }
    errno = saved_errno;
    return count * GATE_NATIVE_CROWD_PER_CPU;
}

static struct gate *gates_published(void)
{
    struct gate *gates = __atomic_load_n(&published_gates, __ATOMIC_ACQUIRE);
    if (gates != NULL) {
        return gates;
    }
    __atomic_store_n(&native_crowd, crowd_of_this_process(), __ATOMIC_RELAXED);
    struct gate *const wiped = gate_wiped_memory();
    struct gate *const made = wiped != NULL ? wiped : unwiped_gates;
    if (__atomic_compare_exchange_n(&published_gates, &gates, made, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
        return made;
    }
    if (wiped != NULL) {
        gate_free_memory(wiped);
    }
    return gates;
}

uint32_t gate_enter(enum gate_id id)
{
    struct gate *const gates = gates_published();
    const struct gate_rules rules = {
        .reentry = true,
        /* Two system calls for each wait: only where a forked child needs them. */
        .check_holder = gates == unwiped_gates,
        .crowd = id == GATE_NATIVE ? __atomic_load_n(&native_crowd, __ATOMIC_RELAXED) : 0,
        .limit_ns = GATE_LIMIT_NS,
    };
    return gate_enter_by(&gates[id], &rules);
}

void gate_leave(enum gate_id id, uint32_t ticket)
{
    gate_leave_by(&gates_published()[id], ticket);
}
