/* Linked with --wrap: the library with a little more to do in each place that scripts/counts
 * looks at, which it must notice. */
#include "shim/gate.h"
#include "shim/gated_create.h"
#include "shim/runtime.h"

/* Some six instructions each: 7 % of what there is to do in the active library, or at its start. */
enum { MORE_TURNS = 12, MORE_TURNS_AT_START = 60 };

typedef int gated_pthread_create_function(pthread_t *, const pthread_attr_t *, void *(*)(void *),
                                          void *);

extern gated_pthread_create_function __real_gated_pthread_create, __wrap_gated_pthread_create;
extern uint32_t __real_gate_enter(enum gate_id id);
extern uint32_t __wrap_gate_enter(enum gate_id id);
extern void __real_runtime_start(void);
extern void __wrap_runtime_start(void);

static void work(int turns)
{
    for (volatile int i = 0; i < turns; i++)
        ;
}

int __wrap_gated_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
                                void *(*routine)(void *), void *argument)
{
    work(MORE_TURNS);
    return __real_gated_pthread_create(thread, attr, routine, argument);
}

uint32_t __wrap_gate_enter(enum gate_id id)
{
    work(MORE_TURNS);
    return __real_gate_enter(id);
}

void __wrap_runtime_start(void)
{
    work(MORE_TURNS_AT_START);
    __real_runtime_start();
}
