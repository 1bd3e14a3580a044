#include "shim/gated_create.h"

#include "shim/gate.h"
#include "shim/real.h"
#include "shim/runtime.h"

#include <errno.h>

int gated_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*routine)(void *),
                         void *argument)
{
    real_pthread_create_function *real = real_pthread_create();
    if (real == NULL) {
        return EAGAIN;
    }
    if (runtime_gate() != CONFIG_GATE_ALL) {
        return real(thread, attr, routine, argument);
    }
    uint32_t ticket = gate_enter(GATE_NATIVE);
    int result = real(thread, attr, routine, argument);
    gate_leave(GATE_NATIVE, ticket);
    return result;
}
