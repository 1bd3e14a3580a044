/* Results on stdout that are either complete or reported as incomplete. */
#ifndef THPFIX_SHIM_CLI_OUTPUT_H
#define THPFIX_SHIM_CLI_OUTPUT_H

/* Once, at the start: a closed pipe is from now on an error to report, not a death by
 * SIGPIPE. */
void output_begin(void);

/* Gives SIGPIPE back the disposition that this process was started with: what is
 * ignored stays ignored across exec. */
void output_restore_signals(void);

/* Before something is done that will be told of: 0, or -errno where it is plain that stdout takes
 * nothing, the complaint being made as by output_finish. To be called before files are opened: a
 * closed stdout is the next one's. */
int output_check(const char *command);

/* After the last line: 0, or -errno when stdout did not take everything, and then the
 * complaint is made already, in the name of command (see message.h). */
int output_finish(const char *command);

#endif
