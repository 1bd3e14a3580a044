#include "shim/counters.h"
#include "shim/gate.h"
#include "shim/jvm_real.h"
#include "shim/log.h"
#include "shim/runtime.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT jvm_start_thread_function JVM_StartThread;

/* The same function under a name that no other library can define: what the loader
 * finds for JVM_StartThread may be somebody else's. */
__attribute__((alias("JVM_StartThread"))) static jvm_start_thread_function our_start_thread;

static void report_not_found(void)
{
    struct log_line line;
    log_begin(&line);
    log_text(&line, "JVM_StartThread was called, but no loaded object has the JVM's own: "
                    "the thread cannot be started");
    log_write(&line);
    COUNTER_ADD(jvm_start_not_found, 1);
}

/* Lets one Java thread through at a time. HotSpot takes Threads_lock to start a
 * thread; a thousand that stand in line for it hold up every safepoint
 * (JDK-8340547). Those that wait here are in native code, and hold up nothing. */
void JVM_StartThread(struct jvm_env *env, void *thread)
{
    jvm_start_thread_function *const real = jvm_real_start_thread(our_start_thread);
    if (real == NULL) {
        report_not_found();
        jvm_real_throw_not_found(env);
        return;
    }
    if (runtime_gate() == CONFIG_GATE_OFF) {
        real(env, thread);
        return;
    }
    const uint32_t ticket = gate_enter(GATE_JVM);
    real(env, thread);
    gate_leave(GATE_JVM, ticket);
}
