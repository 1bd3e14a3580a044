/* What the process was started with: its variables, and the name it was started by.
 *
 * Once, while the library starts. No allocation.
 */
#ifndef THPFIX_SHIM_ENVIRONMENT_H
#define THPFIX_SHIM_ENVIRONMENT_H

#include "shim/config.h"

/* The configuration in the environment; a bad value is named in a line on stderr. A
 * set-user-ID program (AT_SECURE) gets the defaults: the variables are its caller's. */
void environment_read_config(struct config *ret_config);

/* File name of the program, of a script the script's: what ps shows. "" unknown. */
const char *environment_program(void);

#endif
