/* The threads of a process as its glibc and the kernel tell of them, and libthpfix in it. */
#ifndef THPFIX_SHIM_CLI_KNOWN_THREADS_H
#define THPFIX_SHIM_CLI_KNOWN_THREADS_H

#include "detect/process.h"
#include "detect/process_descriptors.h"
#include "detect/process_tasks.h"
#include "shim/cli/counters_read.h"
#include "shim/cli/remote_library.h"

#include <stdbool.h>
#include <stddef.h>

enum library_state {
    LIBRARY_ABSENT,
    LIBRARY_KEPT_OUT, /* LD_PRELOAD names it, and it is not there */
    LIBRARY_FOREIGN,  /* there, but of another version, or unreadable: error tells */
    LIBRARY_READ,
};

struct library_seen {
    enum library_state state;
    int error;
    struct remote_library file;
    struct counters_found found; /* LIBRARY_READ */
};

/* The files to look for among the mappings (remote_library.h). */
#define KNOWN_LIBRARIES 4
extern remote_library_test *const known_library_tests[KNOWN_LIBRARIES];

struct known_threads {
    struct process_tasks tasks;
    pid_t *inner_ids;           /* as the process itself calls them; NULL: the same */
    struct glibc_threads glibc; /* empty with glibc_error */
    int tasks_error, glibc_error;
    struct library_seen library;
    struct process_walk walk;
};

/* files: in the order of known_library_tests. maps: the mappings, as far as they are told by
 * now; more may be added until the end. look_outside: find out whether LD_PRELOAD names a
 * library that is not there. To be ended. */
void known_threads_begin(const struct process_identity *identity,
                         const struct remote_library *files, const struct process_maps *maps,
                         bool look_outside, struct known_threads *ret_known);
/* As far as the mappings are told: while others of them are still being read. */
void known_threads_on(struct known_threads *known);
/* All mappings are told. every_thread: the kernel's list is wanted even where glibc's says the
 * same. To be freed, also with an error in it. */
void known_threads_end(const struct process_identity *identity, bool every_thread,
                       struct known_threads *known);
void known_threads_free(struct known_threads *known);

/* Does the environment of a process name the library in LD_PRELOAD? Pure. */
bool known_environment_asks(const char *environment, size_t length);

#endif
