/* The default thread attributes of the process (pthread_setattr_default_np): what
 * thrd_create, a NULL attribute and attributes without a size get, whoever creates the
 * thread, also past our pthread_create.
 *
 * Not safe against a program that sets the defaults at the same moment: one of the
 * two wins, as it would between two threads of the program. May allocate where the
 * program has put an affinity into the defaults. errno untouched.
 */
#ifndef THPFIX_SHIM_DEFAULT_ATTR_H
#define THPFIX_SHIM_DEFAULT_ATTR_H

#include "shim/plan.h"
#include <stdbool.h>

/* Stores the default size in the padded form (plan_encode_size), where it is a
 * multiple of the THP size. true where that changed it. glibc before 2.18 has no such
 * defaults: false. */
bool default_attr_encode(const struct plan_limits *limits);

/* Takes that back. */
void default_attr_decode(const struct plan_limits *limits);

#endif
