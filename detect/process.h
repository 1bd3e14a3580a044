/* One process, as /proc tells of it. */
#ifndef THPFIX_DETECT_PROCESS_H
#define THPFIX_DETECT_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct process_identity {
    pid_t pid;
    /* Whose files below /proc tell of the memory: pid itself, or where the first thread
     * has ended before the others, one of those. */
    pid_t memory_tid;
    char name[64]; /* comm; no control characters in it */
    uid_t uid;     /* effective */
    size_t threads;
    uint64_t start_ticks; /* with the PID, what tells one process from another */
    uint64_t rss_bytes;
    bool in_pid_namespace; /* one below the reader's: its own thread ids are others */
};

/* 0; -ESRCH there is no such process; -ENODATA it is a zombie, without memory; -ENOTSUP
 * it is a kernel thread; another -errno. */
int process_identify(int root, pid_t pid, struct process_identity *ret_identity);

/* Is it still the same process, and alive? To be asked after a read that came to its
 * end: /proc ends early, without an error, when the process does. */
bool process_still_there(int root, const struct process_identity *identity);

#endif
