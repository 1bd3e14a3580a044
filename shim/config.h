/* The environment variables of the library: one table, from which the parser, --help
 * and the manual are made.
 *
 * Pure: looks a name up through a function it is given. Called once, in the
 * constructor or the first wrapper; no allocation.
 */
#ifndef THPFIX_SHIM_CONFIG_H
#define THPFIX_SHIM_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#define CONFIG_LOG_PATH_MAX         512 /* with its NUL */
#define CONFIG_PRETOUCH_THREADS_MAX 64

enum config_mode { CONFIG_AUTO, CONFIG_ON, CONFIG_OFF };
enum config_pretouch_heap { CONFIG_PRETOUCH_OFF, CONFIG_PRETOUCH_NOW, CONFIG_PRETOUCH_BACKGROUND };
enum config_gate { CONFIG_GATE_AUTO, CONFIG_GATE_OFF, CONFIG_GATE_JVM, CONFIG_GATE_ALL };

/* Strings point into the environment, which the program may change: they are valid
 * only while the library starts. */
struct config {
    enum config_mode mode;
    size_t guard_bytes; /* least guard of a stack; 0: one page */
    bool user_stacks;
    bool inherit;
    bool sites;
    enum config_gate gate;
    size_t pretouch_stack_bytes; /* depth; 0: no */
    enum config_pretouch_heap pretouch_heap;
    size_t pretouch_min_bytes; /* least range */
    unsigned pretouch_threads; /* for one range; 0: by the number of CPUs */
    const char *only;          /* globs, separated by commas or colons; "" none */
    const char *exclude;       /* likewise */
    const char *log;           /* "" off, "stderr", or an absolute path */
};

struct config_variable {
    const char *name;          /* "THPFIX_GUARD" */
    const char *values;        /* "BYTES", "auto|on|off" */
    const char *default_value; /* as it would be written in the environment */
    const char *help;          /* one sentence, no full stop */
    /* true, or false with *config untouched where the text is no value */
    bool (*parse)(const char *text, struct config *config);
};

extern const struct config_variable config_variables[];
extern const size_t config_variable_count;

typedef const char *config_lookup(const char *name, void *context); /* NULL: not set */
typedef void config_complaint(const struct config_variable *variable, const char *text,
                              void *context);

/* Fills *ret_config with the defaults and what is set. A bad value is handed to
 * complain, and the default stays. A variable that is set but empty is not set. */
void config_read(config_lookup *lookup, config_complaint *complain, void *context,
                 struct config *ret_config);

/* Does any glob of the list ("java:mysql*,nginx") match the name? Globs know * and ?. */
bool config_list_matches(const char *list, const char *name);

/* Is this program to be looked after, by THPFIX_ONLY and THPFIX_EXCLUDE? */
bool config_selects(const struct config *config, const char *program);

/* "64K", "2m", "4096": bytes. false on anything else, and on overflow. */
bool config_parse_bytes(const char *text, size_t *ret_bytes);

#endif
