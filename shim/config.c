#include "shim/config.h"

#include <stdint.h>
#include <string.h>

struct word {
    const char *text;
    int value;
};

static bool parse_word(const char *text, const struct word *words, size_t count, int *ret_value)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(text, words[i].text) == 0) {
            *ret_value = words[i].value;
            return true;
        }
    }
    return false;
}

static bool parse_bool(const char *text, bool *ret_value)
{
    static const struct word words[] = {{"0", 0}, {"1", 1}};
    int value;
    if (!parse_word(text, words, 2, &value)) {
        return false;
    }
    *ret_value = value != 0;
    return true;
}

bool config_parse_bytes(const char *text, size_t *ret_bytes)
{
    size_t bytes = 0;
    const char *p = text;
    if (*p < '0' || *p > '9') {
        return false;
    }
    for (; *p >= '0' && *p <= '9'; p++) {
        if (__builtin_mul_overflow(bytes, 10, &bytes) ||
            __builtin_add_overflow(bytes, (size_t)(*p - '0'), &bytes)) {
            return false;
        }
    }
    unsigned shift = 0;
    switch (*p) {
    case 'k':
    case 'K':
        shift = 10;
        break;
    case 'm':
    case 'M':
        shift = 20;
        break;
    case 'g':
    case 'G':
        shift = 30;
        break;
    default:
        break;
    }
    if (shift != 0) {
        p++;
    }
    if (*p != '\0' || __builtin_mul_overflow(bytes, (size_t)1 << shift, &bytes)) {
        return false;
    }
    *ret_bytes = bytes;
    return true;
}

static bool parse_mode(const char *text, struct config *config)
{
    static const struct word words[] = {
        {"auto", CONFIG_AUTO}, {"on", CONFIG_ON}, {"off", CONFIG_OFF}};
    int value;
    if (!parse_word(text, words, 3, &value)) {
        return false;
    }
    config->mode = (enum config_mode)value;
    return true;
}

static bool parse_gate(const char *text, struct config *config)
{
    static const struct word words[] = {{"auto", CONFIG_GATE_AUTO},
                                        {"off", CONFIG_GATE_OFF},
                                        {"jvm", CONFIG_GATE_JVM},
                                        {"all", CONFIG_GATE_ALL}};
    int value;
    if (!parse_word(text, words, 4, &value)) {
        return false;
    }
    config->gate = (enum config_gate)value;
    return true;
}

/* For what every thread has to pay: beyond 1 GiB it is a mistake. */
static bool parse_bytes_per_thread(const char *text, size_t *ret_bytes)
{
    size_t bytes;
    if (!config_parse_bytes(text, &bytes) || bytes > (size_t)1 << 30) {
        return false;
    }
    *ret_bytes = bytes;
    return true;
}

static bool parse_guard(const char *text, struct config *config)
{
    return parse_bytes_per_thread(text, &config->guard_bytes);
}

static bool parse_pretouch_stack(const char *text, struct config *config)
{
    return parse_bytes_per_thread(text, &config->pretouch_stack_bytes);
}

static bool parse_pretouch_heap(const char *text, struct config *config)
{
    static const struct word words[] = {{"off", CONFIG_PRETOUCH_OFF},
                                        {"now", CONFIG_PRETOUCH_NOW},
                                        {"background", CONFIG_PRETOUCH_BACKGROUND}};
    int value;
    if (!parse_word(text, words, 3, &value)) {
        return false;
    }
    config->pretouch_heap = (enum config_pretouch_heap)value;
    return true;
}

static bool parse_pretouch_min(const char *text, struct config *config)
{
    return config_parse_bytes(text, &config->pretouch_min_bytes);
}

static bool parse_pretouch_threads(const char *text, struct config *config)
{
    size_t threads; /* a plain number is one of bytes, too */
    if (!config_parse_bytes(text, &threads) || threads > CONFIG_PRETOUCH_THREADS_MAX) {
        return false;
    }
    config->pretouch_threads = (unsigned)threads;
    return true;
}

static bool parse_user_stacks(const char *text, struct config *config)
{
    return parse_bool(text, &config->user_stacks);
}

static bool parse_inherit(const char *text, struct config *config)
{
    return parse_bool(text, &config->inherit);
}

static bool parse_sites(const char *text, struct config *config)
{
    return parse_bool(text, &config->sites);
}

static bool parse_only(const char *text, struct config *config)
{
    config->only = text;
    return true;
}

static bool parse_exclude(const char *text, struct config *config)
{
    config->exclude = text;
    return true;
}

static bool parse_log(const char *text, struct config *config)
{
    if (strcmp(text, "stderr") != 0 && text[0] != '/') {
        return false; /* relative to what? the program may have changed its directory */
    }
    if (strlen(text) >= CONFIG_LOG_PATH_MAX) {
        return false;
    }
    config->log = text;
    return true;
}

const struct config_variable config_variables[] = {
    {"THPFIX", "auto|on|off", "auto",
     "act where THP is always and the kernel does not exempt stacks, always, or never", parse_mode},
    {"THPFIX_GUARD", "BYTES", "0", "least guard of every stack (K, M, G); 0 is one page",
     parse_guard},
    {"THPFIX_USER_STACKS", "0|1", "0", "1 keeps huge pages off stacks that the program supplies",
     parse_user_stacks},
    {"THPFIX_GATE", "auto|off|jvm|all", "auto",
     "let one thread start at a time through: in a JVM, everywhere, or nowhere", parse_gate},
    {"THPFIX_PRETOUCH_STACK", "BYTES", "0",
     "populate every new thread's stack to this depth before it starts", parse_pretouch_stack},
    {"THPFIX_PRETOUCH_HEAP", "off|now|background", "off",
     "populate memory that the program puts under MADV_HUGEPAGE, at once or meanwhile",
     parse_pretouch_heap},
    {"THPFIX_PRETOUCH_MIN", "BYTES", "64M", "the least range to populate", parse_pretouch_min},
    {"THPFIX_PRETOUCH_THREADS", "COUNT", "0",
     "threads to populate a range with, up to 64; 0 goes by the number of CPUs",
     parse_pretouch_threads},
    {"THPFIX_SITES", "0|1", "0", "1 records where threads are created, for 'thpfix sites'",
     parse_sites},
    {"THPFIX_ONLY", "GLOB[,GLOB]", "", "act only in programs whose file name matches", parse_only},
    {"THPFIX_EXCLUDE", "GLOB[,GLOB]", "", "do not act in programs whose file name matches",
     parse_exclude},
    {"THPFIX_INHERIT", "0|1", "1", "0 takes the library out of LD_PRELOAD for child processes",
     parse_inherit},
    {"THPFIX_LOG", "stderr|/PATH", "", "write a line at start and one at exit", parse_log},
};
const size_t config_variable_count = sizeof(config_variables) / sizeof(config_variables[0]);

void config_read(config_lookup *lookup, config_complaint *complain, void *context,
                 struct config *ret_config)
{
    *ret_config = (struct config){.only = "", .exclude = "", .log = ""};
    for (size_t i = 0; i < config_variable_count; i++) {
        const struct config_variable *variable = &config_variables[i];
        if (variable->default_value[0] != '\0') {
            (void)variable->parse(variable->default_value, ret_config);
        }
        const char *text = lookup(variable->name, context);
        if (text != NULL && text[0] != '\0' && !variable->parse(text, ret_config)) {
            complain(variable, text, context);
        }
    }
}
