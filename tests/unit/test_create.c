/* Creations in a process that is not active. */
#include "shim/create.h"
#include "shim/plan.h"
#include "shim/real.h"
#include "shim/runtime.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#define MIB ((size_t)1024 * 1024)

static void *own_stack_bytes(void *unused)
{
    pthread_attr_t attr;
    void *address;
    size_t size = 0;
    (void)unused;
    if (pthread_getattr_np(pthread_self(), &attr) == 0) {
        (void)pthread_attr_getstack(&attr, &address, &size);
        (void)pthread_attr_destroy(&attr);
    }
    return (void *)size;
}

typedef int create_function(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static size_t stack_bytes_of_thread(create_function *create, const pthread_attr_t *attr)
{
    pthread_t thread;
    void *size;
    cr_assert_eq(create(&thread, attr, own_stack_bytes, NULL), 0);
    cr_assert_eq(pthread_join(thread, &size), 0);
    return (size_t)size;
}

static size_t marked_size(size_t size)
{
    struct plan_limits limits;
    cr_assert_eq(setenv("THPFIX", "off", 1), 0);
    runtime_start();
    runtime_plan_limits(&limits);
    runtime_note_sizes_encoded();
    size_t marked = plan_encode_size(size, &limits);
    cr_assert_neq(marked, size);
    return marked;
}

Test(create, a_size_marked_while_active_counts_as_it_was_set)
{
    pthread_attr_t attr, as_set;
    cr_assert_eq(pthread_attr_init(&as_set), 0);
    cr_assert_eq(pthread_attr_setstacksize(&as_set, 2 * MIB), 0);
    size_t wanted = stack_bytes_of_thread(pthread_create, &as_set);
    cr_assert_eq(pthread_attr_init(&attr), 0);
    cr_assert_eq(pthread_attr_setstacksize(&attr, marked_size(2 * MIB)), 0);
    cr_assert_eq(stack_bytes_of_thread(create_as_asked, &attr), wanted);
    cr_assert_gt(stack_bytes_of_thread(real_pthread_create(), &attr), wanted);
}

/* pthread_attr_setstackaddr after pthread_attr_setstacksize: glibc counts down from the top, and
 * would put its own into what lies below the buffer. */
Test(create, a_marked_size_does_not_reach_below_the_callers_stack)
{
    pthread_attr_t attr;
    void *buffer = NULL;
    size_t size = 2 * MIB, marked = marked_size(size);
    cr_assert_eq(posix_memalign(&buffer, 65536, 2 * size), 0);
    char *stack = (char *)buffer + size; /* what is below it is the control's */
    cr_assert_eq(pthread_attr_init(&attr), 0);
    /* As setstackaddr leaves it. */
    cr_assert_eq(pthread_attr_setstack(&attr, stack - (ptrdiff_t)(marked - size), marked), 0);
    cr_assert_eq(stack_bytes_of_thread(create_as_asked, &attr), size);
#ifndef __SANITIZE_ADDRESS__ /* ends a program one of whose stacks is not aligned */
    cr_assert_neq(stack_bytes_of_thread(real_pthread_create(), &attr), size);
#endif
    free(buffer);
}

Test(create, what_was_not_marked_stays)
{
    pthread_attr_t attr;
    (void)marked_size(2 * MIB);
    cr_assert_eq(pthread_attr_init(&attr), 0);
    cr_assert_eq(pthread_attr_setstacksize(&attr, 2 * MIB + 65536), 0);
    cr_assert_eq(stack_bytes_of_thread(create_as_asked, &attr),
                 stack_bytes_of_thread(real_pthread_create(), &attr));
    cr_assert_neq(stack_bytes_of_thread(create_as_asked, NULL), 0);
}
