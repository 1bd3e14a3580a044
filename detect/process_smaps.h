/* The mappings of a process, handed on one by one while they are read: the text of a large
 * process is many MiB, and is never kept. Any thread.
 *
 * A second thread that reads ahead was measured, and does not pay: telling it takes the
 * kernel ten times as long as it takes us to understand it.
 */
#ifndef THPFIX_DETECT_PROCESS_SMAPS_H
#define THPFIX_DETECT_PROCESS_SMAPS_H

#include "detect/smaps_parse.h"
#include <sys/types.h>

/* /proc/TID/smaps. 0; the callback's non-zero result; -ESRCH where the process has
 * ended or has no memory; -EINVAL where the text is no smaps; another -errno. */
int process_read_smaps(int root, pid_t tid, smaps_callback *callback, void *context);

/* /proc/TID/maps: the same mappings without their sums, in a tenth of the time. */
int process_read_maps(int root, pid_t tid, smaps_callback *callback, void *context);

#endif
