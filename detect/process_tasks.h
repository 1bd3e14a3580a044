/* The threads of a process, as the kernel tells of them. */
#ifndef THPFIX_DETECT_PROCESS_TASKS_H
#define THPFIX_DETECT_PROCESS_TASKS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct process_tasks {
    pid_t *tids; /* ascending */
    size_t count;
};

/* The threads there are at this moment. 0, -ESRCH, or another -errno; on success to be
 * freed. */
int process_list_tasks(int root, pid_t pid, struct process_tasks *ret_tasks);
void process_free_tasks(struct process_tasks *tasks);

/* All processes, as far as /proc shows them. To be freed as well. */
int process_list_all(int root, struct process_tasks *ret_processes);

/* The stack pointer of a thread that is not running now. 0; -EBUSY it is running;
 * -ESRCH; -EACCES or -EPERM; -ENODATA it has none (it has ended, or is the kernel's);
 * -EINVAL the text is not understood. */
int process_task_pointer(int root, pid_t pid, pid_t tid, uint64_t *ret_pointer);

/* What /proc/PID/task/TID/syscall says: as above. Pure. */
int process_parse_syscall(const char *text, size_t length, uint64_t *ret_pointer);

/* The thread's name, control characters replaced; "" where it cannot be read. */
#define PROCESS_TASK_NAME_BYTES 32
void process_task_name(int root, pid_t pid, pid_t tid, char ret_name[PROCESS_TASK_NAME_BYTES]);

/* The thread's id in the innermost PID namespace it is in: what its own process calls
 * it. 0 or -errno. */
int process_task_inner_id(int root, pid_t pid, pid_t tid, pid_t *ret_id);

#endif
