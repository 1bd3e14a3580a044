/* Taken in before every file of the library that scripts/bench-count compares with the real
 * one: all the same, but nothing is counted. */
#ifndef THPFIX_TESTS_BENCH_UNCOUNTED_H
#define THPFIX_TESTS_BENCH_UNCOUNTED_H

#include "shim/counters.h"

#undef COUNTER_ADD
#define COUNTER_ADD(field, n) ((void)(n))

#endif
