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
};

/* files: in the order of known_library_tests. maps: the mappings, as far as /proc/PID/maps
 * tells of them. every_thread: the kernel's list is wanted
 * even where glibc's says the same. look_outside: find out whether LD_PRELOAD names a
 * library that is not there. To be freed, also with an error in it. Any thread. */
void known_threads_read(const struct process_identity *identity, const struct remote_library *files,
                        const struct process_maps *maps, bool every_thread, bool look_outside,
                        struct known_threads *ret_known);
void known_threads_free(struct known_threads *known);

/* Does the environment of a process name the library in LD_PRELOAD? Pure. */
bool known_environment_asks(const char *environment, size_t length);

#endif
