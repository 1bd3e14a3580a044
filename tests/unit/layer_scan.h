/* Reads the #include lines of detect/ and shim/ and says where they break the layers.
 *
 * A module is a .c file and the header of the same name. The rules:
 *  1. detect/ includes nothing of shim/; only shim/cli/ includes shim/cli/.
 *  2. In detect/ and shim/ a module has a layer (layers.txt) and includes only modules
 *     of lower ones. shim/cli/, the top, has no layers.
 *  3. No circle of modules, anywhere.
 *  4. Project headers are named from the top of the tree: "shim/plan.h".
 *  5. A file other than detect/root_read.c that names a path of /sys or /proc calls
 *     none of open, fopen, opendir and their kin.
 */
#ifndef THPFIX_TESTS_LAYER_SCAN_H
#define THPFIX_TESTS_LAYER_SCAN_H

#include <stddef.h>

struct layer_report {
    size_t file_count;
    size_t include_count; /* of project headers */
    size_t fault_count;
    char faults[128][160]; /* "detect/host.c: includes shim/plan.h: …" */
};

void layer_scan(const char *tree, struct layer_report *ret_report);

#endif
