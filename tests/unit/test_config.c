#include "shim/config.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

struct setting {
    const char *name, *value;
};

struct environment {
    const struct setting *settings;
    size_t count;
    const char *complaint_name, *complaint_value;
    unsigned complaints;
};

static const char *lookup(const char *name, void *context)
{
    struct environment *environment = context;
    for (size_t i = 0; i < environment->count; i++) {
        if (strcmp(environment->settings[i].name, name) == 0) {
            return environment->settings[i].value;
        }
    }
    return NULL;
}

static void complain(const struct config_variable *variable, const char *text, void *context)
{
    struct environment *environment = context;
    environment->complaint_name = variable->name;
    environment->complaint_value = text;
    environment->complaints++;
}

static struct environment read_config(const struct setting *settings, size_t count,
                                      struct config *ret_config)
{
    struct environment environment = {.settings = settings, .count = count};
    memset(ret_config, 0xa5, sizeof(*ret_config));
    config_read(lookup, complain, &environment, ret_config);
    return environment;
}

Test(config, nothing_set_gives_the_defaults_of_the_table)
{
    struct config config;
    struct environment environment = read_config(NULL, 0, &config);
    cr_assert_eq(environment.complaints, 0);
    cr_assert_eq(config.mode, CONFIG_AUTO);
    cr_assert_eq(config.gate, CONFIG_GATE_AUTO);
    cr_assert_eq(config.guard_bytes, 0);
    cr_assert_not(config.user_stacks);
    cr_assert(config.inherit);
    cr_assert_str_eq(config.only, "");
    cr_assert_str_eq(config.exclude, "");
    cr_assert_str_eq(config.log, "");
}

Test(config, every_default_is_a_value_of_its_own_variable)
{
    for (size_t i = 0; i < config_variable_count; i++) {
        const struct config_variable *variable = &config_variables[i];
        struct config config = {0};
        cr_assert(variable->default_value[0] == '\0' ||
                      variable->parse(variable->default_value, &config),
                  "%s", variable->name);
        cr_assert(strncmp(variable->name, "THPFIX", 6) == 0);
    }
}

Test(config, values_are_taken)
{
    const struct setting settings[] = {
        {"THPFIX", "on"},        {"THPFIX_GUARD", "64K"},  {"THPFIX_USER_STACKS", "1"},
        {"THPFIX_GATE", "all"},  {"THPFIX_ONLY", "java"},  {"THPFIX_EXCLUDE", "bash:sh"},
        {"THPFIX_INHERIT", "0"}, {"THPFIX_LOG", "/tmp/x"},
    };
    struct config config;
    struct environment environment =
        read_config(settings, sizeof(settings) / sizeof(settings[0]), &config);
    cr_assert_eq(environment.complaints, 0);
    cr_assert_eq(config.mode, CONFIG_ON);
    cr_assert_eq(config.guard_bytes, 65536);
    cr_assert(config.user_stacks);
    cr_assert_eq(config.gate, CONFIG_GATE_ALL);
    cr_assert_str_eq(config.only, "java");
    cr_assert_str_eq(config.exclude, "bash:sh");
    cr_assert_not(config.inherit);
    cr_assert_str_eq(config.log, "/tmp/x");
}

Test(config, a_bad_value_is_named_and_the_default_stays)
{
    static char long_path[CONFIG_LOG_PATH_MAX + 1];
    memset(long_path, 'x', CONFIG_LOG_PATH_MAX);
    long_path[0] = '/';
    const struct setting bad[] = {
        {"THPFIX", "ON"},
        {"THPFIX", "on "},
        {"THPFIX", "yes"},
        {"THPFIX_GUARD", "64 K"},
        {"THPFIX_GUARD", "-1"},
        {"THPFIX_GUARD", "4096x"},
        {"THPFIX_GUARD", "2G"},
        {"THPFIX_GUARD", "18446744073709551616"},
        {"THPFIX_USER_STACKS", "2"},
        {"THPFIX_INHERIT", "true"},
        {"THPFIX_GATE", "jvm,all"},
        {"THPFIX_LOG", "stdout"},
        {"THPFIX_LOG", "log.txt"},
        {"THPFIX_LOG", long_path},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct config config, defaults;
        struct environment environment = read_config(&bad[i], 1, &config);
        (void)read_config(NULL, 0, &defaults);
        cr_assert_eq(environment.complaints, 1, "%s=%s", bad[i].name, bad[i].value);
        cr_assert_str_eq(environment.complaint_name, bad[i].name);
        cr_assert_str_eq(environment.complaint_value, bad[i].value);
        cr_assert_eq(config.mode, defaults.mode);
        cr_assert_eq(config.guard_bytes, defaults.guard_bytes);
        cr_assert_eq(config.user_stacks, defaults.user_stacks);
        cr_assert_eq(config.inherit, defaults.inherit);
        cr_assert_eq(config.gate, defaults.gate);
        cr_assert_str_eq(config.log, defaults.log);
    }
}

Test(config, set_but_empty_is_not_set)
{
    for (size_t i = 0; i < config_variable_count; i++) {
        struct setting empty = {config_variables[i].name, ""};
        struct config config;
        cr_assert_eq(read_config(&empty, 1, &config).complaints, 0, "%s", empty.name);
    }
}

Test(bytes, units_and_limits)
{
    const struct {
        const char *text;
        bool good;
        size_t bytes;
    } cases[] = {
        {"0", true, 0},
        {"4096", true, 4096},
        {"4k", true, 4096},
        {"4K", true, 4096},
        {"2M", true, 2097152},
        {"2m", true, 2097152},
        {"1G", true, 1 << 30},
        {"1g", true, 1 << 30},
        {"18446744073709551615", true, SIZE_MAX},
        {"", false, 0},
        {"K", false, 0},
        {"1KB", false, 0},
        {" 1", false, 0},
        {"+1", false, 0},
        {"0x10", false, 0},
        {"1.5M", false, 0},
        {"17179869184G", false, 0},
        {"18446744073709551616", false, 0},
        {"1 ", false, 0},
        {"1T", false, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        size_t bytes = 77;
        cr_assert_eq(config_parse_bytes(cases[i].text, &bytes), cases[i].good, "'%s'",
                     cases[i].text);
        cr_assert_eq(bytes, cases[i].good ? cases[i].bytes : 77, "'%s'", cases[i].text);
    }
}

Test(globs, lists)
{
    const struct {
        const char *list, *name;
        bool matches;
    } cases[] = {
        {"java", "java", true},
        {"java", "javac", false},
        {"java*", "javac", true},
        {"", "java", false},
        {"*", "anything", true},
        {"*", "", true},
        {"a,b", "b", true},
        {"a:b", "b", true},
        {"a,,b", "", false},
        {"mysql?", "mysqld", true},
        {"mysql?", "mysql", false},
        {"*a*b*c", "xxaxxbxxc", true},
        {"*a*b*c", "xxaxxbxxcx", false},
        {"ng*x,java", "nginx", true},
        {"*ab", "aab", true},
        {"python3.*", "python3.11", true},
        {"[ab]", "a", false},
        {",", "x", false},
        {"a*a*a*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cr_assert_eq(config_list_matches(cases[i].list, cases[i].name), cases[i].matches,
                     "'%s' against '%s'", cases[i].list, cases[i].name);
    }
}

Test(globs, exclude_wins_over_only)
{
    struct config config = {.only = "java*,nginx", .exclude = "javac", .log = ""};
    cr_assert(config_selects(&config, "java"));
    cr_assert(config_selects(&config, "nginx"));
    cr_assert_not(config_selects(&config, "javac"));
    cr_assert_not(config_selects(&config, "bash"));
    config.only = "";
    cr_assert(config_selects(&config, "bash"));
    cr_assert_not(config_selects(&config, "javac"));
}
