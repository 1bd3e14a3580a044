#include "shim/config.h"

#include <criterion/criterion.h>
#include <string.h>

struct setting {
    const char *name, *value;
    unsigned complaints;
};

static const char *lookup(const char *name, void *context)
{
    const struct setting *setting = context;
    return strcmp(name, setting->name) == 0 ? setting->value : NULL;
}

static void complain(const struct config_variable *variable, const char *text, void *context)
{
    struct setting *setting = context;
    cr_assert_str_eq(variable->name, setting->name);
    cr_assert_str_eq(text, setting->value);
    setting->complaints++;
}

static struct config read_one(const char *name, const char *value, unsigned complaints)
{
    struct setting setting = {name, value, 0};
    struct config config;
    config_read(lookup, complain, &setting, &config);
    cr_assert_eq(setting.complaints, complaints, "%s=%s", name, value);
    return config;
}

static void expect_defaults(struct config config)
{
    cr_assert_eq(config.pretouch_stack_bytes, 0);
    cr_assert_eq(config.pretouch_heap, CONFIG_PRETOUCH_OFF);
    cr_assert_eq(config.pretouch_min_bytes, (size_t)64 << 20);
    cr_assert_eq(config.pretouch_threads, 0);
}

Test(pretouch_config, off_by_default)
{
    expect_defaults(read_one("", "", 0));
}

Test(pretouch_config, values_are_taken)
{
    cr_assert_eq(read_one("THPFIX_PRETOUCH_STACK", "256K", 0).pretouch_stack_bytes, 256 << 10);
    cr_assert_eq(read_one("THPFIX_PRETOUCH_STACK", "1G", 0).pretouch_stack_bytes, 1 << 30);
    cr_assert_eq(read_one("THPFIX_PRETOUCH_HEAP", "now", 0).pretouch_heap, CONFIG_PRETOUCH_NOW);
    cr_assert_eq(read_one("THPFIX_PRETOUCH_HEAP", "background", 0).pretouch_heap,
                 CONFIG_PRETOUCH_BACKGROUND);
    cr_assert_eq(read_one("THPFIX_PRETOUCH_MIN", "0", 0).pretouch_min_bytes, 0);
    cr_assert_eq(read_one("THPFIX_PRETOUCH_MIN", "2G", 0).pretouch_min_bytes, (size_t)2 << 30);
    cr_assert_eq(read_one("THPFIX_PRETOUCH_THREADS", "64", 0).pretouch_threads, 64);
}

Test(pretouch_config, bad_values_are_named_and_the_defaults_stay)
{
    static const char *const bad[][2] = {
        {"THPFIX_PRETOUCH_STACK", "2G"},    {"THPFIX_PRETOUCH_STACK", "deep"},
        {"THPFIX_PRETOUCH_HEAP", "on"},     {"THPFIX_PRETOUCH_HEAP", "Now"},
        {"THPFIX_PRETOUCH_HEAP", "1"},      {"THPFIX_PRETOUCH_MIN", "-1"},
        {"THPFIX_PRETOUCH_MIN", "64MB"},    {"THPFIX_PRETOUCH_THREADS", "65"},
        {"THPFIX_PRETOUCH_THREADS", "two"}, {"THPFIX_PRETOUCH_THREADS", "1K"},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        expect_defaults(read_one(bad[i][0], bad[i][1], 1));
    }
}
