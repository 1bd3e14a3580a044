/* What another command prints. */
#ifndef THPFIX_SHIM_CLI_CAPTURE_H
#define THPFIX_SHIM_CLI_CAPTURE_H

/* Runs a command found in PATH, without input, in the C locale. ret_status: its exit status, or
 * 128 and the signal that ended it. ret_out, ret_err: to be freed; err is cut to its first
 * line. 0; -ENOENT there is no such command; another -errno. */
int capture(const char *const *arguments, char **ret_out, char **ret_err, int *ret_status);

#endif
