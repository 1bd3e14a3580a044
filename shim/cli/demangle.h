/* The names of C++ functions as they were written. */
#ifndef THPFIX_SHIM_CLI_DEMANGLE_H
#define THPFIX_SHIM_CLI_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/* "_ZN5place5firstEi" to "place::first(int)", cut where longer. False, and *ret_name
 * untouched, where the name is no such name, or this machine has no C++ library, which is
 * loaded for the first of them. One thread. */
bool demangle(const char *name, char *ret_name, size_t size);

#endif
