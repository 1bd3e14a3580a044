/* The mappings of a process, handed on one by one while the kernel writes the next.
 *
 * The text of a large process is many MiB and is never kept. It is read by a thread of
 * its own, since telling it takes the kernel longer than it takes us to understand it.
 */
#ifndef THPFIX_DETECT_PROCESS_SMAPS_H
#define THPFIX_DETECT_PROCESS_SMAPS_H

#include "detect/smaps_parse.h"
#include <sys/types.h>

/* /proc/TID/smaps. 0; the callback's non-zero result; -ESRCH where the process has
 * ended or has no memory; -EINVAL where the text is no smaps; another -errno. One process
 * at a time. */
int process_read_smaps(int root, pid_t tid, smaps_callback *callback, void *context);

/* The same without a second thread, for many small processes. Any thread. */
int process_read_smaps_here(int root, pid_t tid, smaps_callback *callback, void *context);

/* /proc/TID/maps: the same mappings without their sums, in a tenth of the time. Any thread. */
int process_read_maps(int root, pid_t tid, smaps_callback *callback, void *context);

#endif
