/* A stopped thread's way to heal_code and back. */
#ifndef THPFIX_SHIM_CLI_HEAL_TRIP_H
#define THPFIX_SHIM_CLI_HEAL_TRIP_H

#include "shim/cli/heal_code.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Sends the thread to work through the calls, and has it back where it was, stopped; each
 * advice is then what the call returned. code: where heal_code lies. 0; 1: it did not wait for
 * us and went home by itself, where it has stopped; -errno. */
int heal_trip(pid_t tid, uint64_t code, const struct heal_registers *registers,
              struct heal_call *calls, size_t count);

#endif
