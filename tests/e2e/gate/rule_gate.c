/* Preloaded: the library's gate around pthread_create, with rules taken away.
 *
 * GATE_WITHOUT names what is missing: reentry, fork, limit, or none. No rule stands in
 * for another: only limit and none have the time limit. There is no crowd rule, so
 * every start goes through the gate. */
#include "shim/gate.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef int create_function(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static struct gate plain_gate;
static struct gate *gate;
static struct gate_rules rules;
static create_function *real;

__attribute__((constructor)) static void choose_rules(void)
{
    const char *const variable = getenv("GATE_WITHOUT");
    const char *const without = variable != NULL ? variable : "none";
    rules.reentry = strcmp(without, "reentry") != 0;
    rules.limit_ns = strcmp(without, "none") == 0 ? GATE_LIMIT_NS : UINT64_MAX;
    gate = strcmp(without, "fork") == 0 ? &plain_gate : gate_wiped_memory();
    if (gate == NULL) { /* an old kernel: the other way to see a fork */
        gate = &plain_gate;
        rules.check_holder = true;
    }
    real = (create_function *)dlsym(RTLD_NEXT, "pthread_create");
}

__attribute__((visibility("default"))) int pthread_create(pthread_t *restrict thread,
                                                          const pthread_attr_t *restrict attr,
                                                          void *(*routine)(void *),
                                                          void *restrict argument)
{
    if (gate == NULL) { /* another library's constructor came first */
        choose_rules();
    }
    const uint32_t ticket = gate_enter_by(gate, &rules);
    const int result = real(thread, attr, routine, argument);
    gate_leave_by(gate, ticket);
    return result;
}
