/* Has the kernel split huge pages of a process that goes on meanwhile.
 *
 * To split a page the kernel needs a lock that all stacks share which once were one mapping, and
 * whoever holds it may itself be waiting for a CPU, such as kswapd or DAMON on a busy machine:
 * 0.5 s have been measured. A thread that splits the pages of its own stack is stopped as long.
 */
#ifndef THPFIX_SHIM_CLI_HEAL_SPLIT_H
#define THPFIX_SHIM_CLI_HEAL_SPLIT_H

#include <stdint.h>
#include <sys/types.h>

/* A file descriptor for heal_split; or -errno where the kernel lets us not: before Linux 5.10, and
 * without CAP_SYS_NICE. */
int heal_split_open(pid_t pid);

/* Changes no byte of it. -ENOMEM: it is no longer mapped. */
int heal_split(int process_fd, uint64_t address, uint64_t bytes);

#endif
