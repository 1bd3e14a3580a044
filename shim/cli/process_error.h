/* Why a process could not be read, in words. */
#ifndef THPFIX_SHIM_CLI_PROCESS_ERROR_H
#define THPFIX_SHIM_CLI_PROCESS_ERROR_H

#include <sys/types.h>

/* Complains (message.h) about what process_identify or a read of the process gave, with
 * the remedy where there is one. */
void process_error_message(const char *command, pid_t pid, int error);

/* The PID that the user wrote. 0, or -EINVAL, the complaint being made. */
int process_parse_pid(const char *command, const char *text, pid_t *ret_pid);

/* Checks the arguments left over: exactly one PID. As above. */
int process_take_pid(const char *command, char **arguments, pid_t *ret_pid);

#endif
