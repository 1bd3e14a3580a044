/* Output into a file that is either complete or as it was before. */
#ifndef THPFIX_SHIM_CLI_OUTPUT_FILE_H
#define THPFIX_SHIM_CLI_OUTPUT_FILE_H

#include <limits.h>

struct output_file {
    const char *path;
    char temporary[PATH_MAX]; /* beside it, so that it can be renamed */
};

/* From now on stdout goes to a new file beside path. 0 or -errno, the complaint made. */
int output_file_begin(const char *command, const char *path, struct output_file *ret_file);

/* Puts it in path's place, readable by everybody, as collectors run as users of their own.
 * Ends stdout as output_finish does. 0 or -errno, the complaint made, the new file gone. */
int output_file_finish(const char *command, struct output_file *file);

/* Takes the new file away: there is nothing to write. */
void output_file_abandon(struct output_file *file);

#endif
