/* What libthpfix.so calls in libthpfix-sites.so: one exported object with functions.
 *
 * The two are separate because the second needs an unwinder, which must be in no program
 * that did not ask for it. They are found beside each other and come from one build;
 * the version refuses a mixture.
 */
#ifndef THPFIX_SHIM_SITES_INTERFACE_H
#define THPFIX_SHIM_SITES_INTERFACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SITES_INTERFACE_SYMBOL  "thpfix_sites_interface"
#define SITES_INTERFACE_VERSION 1

struct sites_request {
    const void *caller; /* pthread_create returns to it: the first frame of the site */
    bool has_attr;      /* if not: the defaults, and the sizes say nothing */
    bool callers_stack;
    size_t stack_bytes, guard_bytes;
};

struct sites_start;

struct sites_creation {
    void *(*routine)(void *); /* what to start the thread with */
    void *argument;
    struct sites_start *start; /* held until the thread runs; NULL: none */
    uint32_t site;             /* number + 1; 0: not recorded */
};

struct sites_interface {
    uint32_t version;
    /* Around one pthread_create, on the thread that calls it. No allocation, no wait
     * without an end, errno untouched. */
    void (*begin)(const struct sites_request *request, void *(*routine)(void *), void *argument,
                  struct sites_creation *ret_creation);
    void (*end)(const struct sites_request *request, const struct sites_creation *creation,
                bool created);
};

#endif
