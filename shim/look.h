/* What the host and the configuration make of this process: the verdict.
 *
 * Reads below a root (root_read.h). No lock, no allocation; errno untouched.
 */
#ifndef THPFIX_SHIM_LOOK_H
#define THPFIX_SHIM_LOOK_H

#include "detect/verdict.h"
#include "shim/config.h"
#include <stdbool.h>
#include <stddef.h>

/* What a look leaves for the next one. */
struct look {
    /* By look_first, constant afterwards. */
    size_t page_bytes, thp_bytes;
    bool settled; /* the verdict does not depend on the THP mode: there is no next look */

    _Atomic int exemption; /* enum stack_exemption, once it is known; by any who looks */
};

/* The first verdict on a program of that name. While the library starts. */
struct verdict look_first(int root, const struct config *config, const char *program,
                          size_t page_bytes, struct look *ret_look);

/* Has the verdict become another? true: *ret_now is the new one. What cannot be read just
 * now (in a chroot, with no descriptor free) changes nothing. Any thread, after fork. */
bool look_again(int root, struct look *look, struct verdict before, struct verdict *ret_now);

#endif
