/* THPFIX_INHERIT=0: the library takes itself out of LD_PRELOAD. */
#ifndef THPFIX_SHIM_INHERIT_H
#define THPFIX_SHIM_INHERIT_H

#include <stdbool.h>
#include <stddef.h>

/* Removes from a list as ld.so reads it (separated by ':' or blanks) every element whose
 * file name is libthpfix.so, in place; the other elements and their separators stay.
 * true where something was removed. Pure. */
bool inherit_remove_element(char *list);

/* Does that to LD_PRELOAD in the environment array, and takes the variable out where
 * nothing is left of it. In place, without setenv: no allocation. Only while the process
 * has one thread (the constructor). */
void inherit_remove(char **environment);

#endif
