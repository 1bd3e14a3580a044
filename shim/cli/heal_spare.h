/* arm64: a system call that nothing but the stop has ended with EINTR is to begin again. */
#ifndef THPFIX_SHIM_CLI_HEAL_SPARE_H
#define THPFIX_SHIM_CLI_HEAL_SPARE_H

#include "shim/cli/heal_registers.h"
#include "shim/cli/heal_settle.h"

#include <stdint.h>
#include <sys/types.h>

#define HEAL_SVC_BYTES 4 /* the instruction that enters the kernel */

/* A line of /proc/TID/status, such as SigCgt: bit 0 is signal 1. 0 where there is none. */
uint64_t heal_read_signals(pid_t tid, const char *name);

/* Puts a stopped thread before the call again, where it is known to have been in it. 0, also
 * where there was nothing to do; -errno. */
int heal_spare(pid_t tid, const struct heal_waiting *waiting, struct heal_registers *registers);

#endif
