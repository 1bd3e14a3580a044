/* The files that a process has mapped, without a walk over its other mappings.
 *
 * A process with ten thousand threads has three mappings for each of them, and a hundred of
 * files. Linux 6.11 has a question for the latter: PROCMAP_QUERY, in linux/fs.h. No memory of its
 * own; any thread.
 */
#ifndef THPFIX_DETECT_PROCESS_FILES_H
#define THPFIX_DETECT_PROCESS_FILES_H

#include "detect/smaps_line.h"

#include <stdint.h>

/* The first mapping of a file that ends above address, of those in the /proc/PID/maps that is open
 * as fd: all that its first line in smaps tells, and nothing of what the other lines do. A path too
 * long for ret_mapping is cut. 0; -ENOENT: there is none; -ESRCH: the process has ended; another
 * -errno where the kernel, or whoever confines us, does not answer: then maps has to be read. */
int process_next_file(int fd, uint64_t address, struct smaps_mapping *ret_mapping);

#endif
