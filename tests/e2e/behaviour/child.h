/* Child processes whose end, and whose output, is the outcome of a test. */
#ifndef THPFIX_TESTS_BEHAVIOUR_CHILD_H
#define THPFIX_TESTS_BEHAVIOUR_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Forks, calls body in the child, and returns the wait status; the child ends with
 * status 0 when body returns. A child that hangs is killed by SIGALRM. */
int child_run(void (*body)(void *), void *context);

/* The same, and the status must be exit 0. */
void child_must_succeed(void (*body)(void *), void *context);

/* A number that body hands back to the parent. */
long child_number(long (*body)(void *), void *context);

/* Is it possible to become another user, and be subject to that user's limits? */
bool child_can_drop_root(void);

/* Becomes an ordinary user that owns no other process; checks fail where it cannot. */
void child_drop_root(void);

#define CHILD_OUTPUT_BYTES 8192

struct child_output {
    pid_t pid;
    int status; /* wait status */
    char out[CHILD_OUTPUT_BYTES];
    char err[CHILD_OUTPUT_BYTES];
};

/* Runs a program in this environment, changed by settings: "NAME=value" sets, "NAME"
 * unsets. Both lists end in NULL. Output beyond the buffers fails the check. */
void child_exec(const char *const command[], const char *const settings[],
                struct child_output *ret_output);

#ifdef __cplusplus
}
#endif

#endif
