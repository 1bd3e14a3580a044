#include "shim/sites_hook.h"

#include "shim/create.h"
#include "shim/loader.h"
#include "shim/log.h"
#include "shim/plan.h"
#include "shim/real.h"
#include "shim/runtime.h"
#include "shim/sites_interface.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>

/* By sites_load, once; NULL until then, and for ever without sites. */
static const struct sites_interface *_Atomic interface;

static void complain(const char *why)
{
    struct log_line line;
    log_begin(&line);
    log_text(&line, "THPFIX_SITES: ");
    log_text(&line, why != NULL ? why : "libthpfix-sites.so cannot be loaded");
    log_text(&line, "; creation sites are not recorded");
    log_complain(&line);
}

void sites_load(void)
{
    if (!runtime_config()->sites || !runtime_selected()) {
        return;
    }
    int saved = errno;
    const char *why = NULL;
    /* RTLD_LOCAL: libunwind has functions of the names that C++ exceptions are made of, and
     * the program's own must go on being found first. */
    void *library = loader_open("$ORIGIN/libthpfix-sites.so", RTLD_NOW | RTLD_LOCAL, &why);
    const struct sites_interface *found =
        library != NULL ? loader_symbol(library, SITES_INTERFACE_SYMBOL) : NULL;
    if (found == NULL) {
        complain(why);
    } else if (found->version != SITES_INTERFACE_VERSION) {
        complain("libthpfix-sites.so is of another version than libthpfix.so");
    } else {
        atomic_store_explicit(&interface, found, memory_order_release);
    }
    errno = saved;
}

bool sites_recording(void)
{
    return atomic_load_explicit(&interface, memory_order_acquire) != NULL;
}

/* The sizes as the program set them. */
static void read_sizes(const pthread_attr_t *attr, struct sites_request *request)
{
    struct plan_limits limits;
    if (real_pthread_attr_getstacksize() == NULL || real_pthread_attr_getguardsize() == NULL ||
        real_pthread_attr_getstacksize()(attr, &request->stack_bytes) != 0 ||
        real_pthread_attr_getguardsize()(attr, &request->guard_bytes) != 0) {
        return;
    }
    request->has_attr = true;
    request->callers_stack = create_has_callers_stack(attr);
    if (runtime_sizes_encoded()) {
        runtime_plan_limits(&limits);
        request->stack_bytes = plan_decode_size(request->stack_bytes, &limits);
    }
}

int sites_create(sites_create_function *create, pthread_t *thread, const pthread_attr_t *attr,
                 void *(*routine)(void *), void *argument, const void *caller)
{
    const struct sites_interface *sites = atomic_load_explicit(&interface, memory_order_acquire);
    struct sites_request request = {.caller = caller};
    struct sites_creation creation;
    int before = errno;
    if (attr != NULL) {
        read_sizes(attr, &request);
    }
    errno = before;
    sites->begin(&request, routine, argument, &creation);
    int result = create(thread, attr, creation.routine, creation.argument);
    sites->end(&request, &creation, result == 0);
    return result;
}
