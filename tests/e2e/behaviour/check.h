/* Checks for the behaviour tests, and the library as the program itself sees it.
 *
 * A failed check prints one line on stderr and ends the process with status 1, from
 * any thread and from forked children.
 */
#ifndef THPFIX_TESTS_BEHAVIOUR_CHECK_H
#define THPFIX_TESTS_BEHAVIOUR_CHECK_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct counters; /* detect/counters_abi.h */

#define EXIT_SKIPPED 77

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            check_failed(__FILE__, __LINE__, #condition);                                          \
        }                                                                                          \
    } while (0)

/* Integers, pointers cast to them, and sizes; what each was is printed. */
#define CHECK_EQUAL(got, expected)                                                                 \
    check_equal(__FILE__, __LINE__, #got, (long long)(got), (long long)(expected))

/* A call that returns 0 or an error number. */
#define CHECK_OK(call) CHECK_EQUAL(call, 0)

void check_failed(const char *file, int line, const char *what) __attribute__((noreturn));
void check_equal(const char *file, int line, const char *what, long long got, long long expected);

/* Ends the process as skipped, with the reason on stdout. */
void skip(const char *reason) __attribute__((noreturn));

/* pthread_create and pthread_join, both of which must succeed. */
void *run_thread(const pthread_attr_t *attr, void *(*routine)(void *), void *argument);

/* An initialised attr; guard_bytes < 0 leaves the default guard. */
void make_attr(pthread_attr_t *ret_attr, size_t stack_bytes, long guard_bytes);

/* The counters of the library; NULL where it is not loaded. */
const struct counters *library_counters(void);

/* EXPECT_LIBRARY=1: the library is loaded, and acts on this process. */
bool library_expected(void);

/* The end of every test: checks that the library took the part that EXPECT_LIBRARY
 * says (unset: not loaded; "1": acted on threads; "inert": loaded, changed nothing;
 * "loaded": either), and returns the exit status. */
int finish(void);

#ifdef __cplusplus
}
#endif

#endif
