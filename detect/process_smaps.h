/* The mappings of a process, handed on one by one while they are read: the text of a large
 * process is many MiB, and is never kept. Any thread.
 */
#ifndef THPFIX_DETECT_PROCESS_SMAPS_H
#define THPFIX_DETECT_PROCESS_SMAPS_H

#include "detect/smaps_parse.h"
#include <sys/types.h>

/* /proc/TID/smaps. 0; the callback's non-zero result; -ESRCH where the process has
 * ended or has no memory; -EINVAL where the text is no smaps; another -errno. */
int process_read_smaps(int root, pid_t tid, smaps_callback *callback, void *context);

/* The same for one large process: this thread only reads, which keeps the kernel busy for
 * longer than all the rest takes, and another thread calls back: between, before the
 * first mapping and every now and then, and callback; both return non-zero to end it. They
 * are over, but for the last callback, when this returns. */
typedef int smaps_between(void *context);
int process_read_smaps_ahead(int root, pid_t tid, smaps_callback *callback, smaps_between *between,
                             void *context);

/* /proc/TID/maps: the same mappings without their sums, in a tenth of the time. */
int process_read_maps(int root, pid_t tid, smaps_callback *callback, void *context);

#endif
