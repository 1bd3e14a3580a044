#include "shim/cli/options.h"
#include "shim/cli/run_options.h"
#include "shim/config.h"

#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct option table[] = {
    {"json", NULL, "print JSON"},
    {"root", "DIR", "read below DIR"},
};

/* A line as the words of an argv, which the parsers may keep pointers into. */
static char **words(const char *line)
{
    static char text[512];
    static char *arguments[32];
    size_t count = 0;
    cr_assert_lt(strlen(line), sizeof(text));
    strcpy(text, line);
    for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " ")) {
        arguments[count++] = word;
    }
    arguments[count] = NULL;
    return arguments;
}

static struct options begin(const char *line)
{
    return (struct options){"test", table, 2, words(line), 1};
}

Test(options, forms)
{
    struct options options = begin("test --root a --json --root=b=c --root= rest --json");
    const char *value = "untouched";
    cr_expect_eq(options_next(&options, &value), 1);
    cr_expect_str_eq(value, "a");
    cr_expect_eq(options_next(&options, &value), 0);
    cr_expect_null(value);
    cr_expect_eq(options_next(&options, &value), 1);
    cr_expect_str_eq(value, "b=c");
    cr_expect_eq(options_next(&options, &value), 1);
    cr_expect_str_eq(value, "");
    cr_expect_eq(options_next(&options, &value), OPTIONS_END);
    cr_expect_str_eq(options.arguments[options.next], "rest");
    cr_expect_eq(options_next(&options, &value), OPTIONS_END, "stays at the end");
}

/* Options and values in the order in which they came, as "1=a 0 ". */
static int note(int option, const char *value, void *context)
{
    char *text = context;
    (void)sprintf(text + strlen(text), "%d%s%s ", option, value != NULL ? "=" : "",
                  value != NULL ? value : "");
    return value != NULL && strcmp(value, "bad") == 0 ? -EINVAL : 0;
}

/* What options_read makes of a line: its options, then the words left. */
static const char *read_line(const char *line, int expected)
{
    static char text[512];
    char **arguments = words(line);
    text[0] = '\0';
    cr_expect_eq(options_read("test", table, 2, arguments, note, text), expected, "%s", line);
    for (size_t i = 1; expected == 0 && arguments[i] != NULL; i++) {
        strcat(strcat(text, "|"), arguments[i]);
    }
    return text;
}

Test(options, stand_anywhere)
{
    cr_expect_str_eq(read_line("test", 0), "");
    cr_expect_str_eq(read_line("test 17 --json", 0), "0 |17");
    cr_expect_str_eq(read_line("test --json 17", 0), "0 |17");
    cr_expect_str_eq(read_line("test 17 --root a 18 --json - 19", 0), "1=a 0 |17|18|-|19");
    cr_expect_str_eq(read_line("test 17 --root=a -- --json -- 18", 0), "1=a |17|--json|--|18");
    cr_expect_str_eq(read_line("test --", 0), "");
    cr_redirect_stderr();
    cr_expect_str_eq(read_line("test 17 --help --json", OPTIONS_HELP), "");
    cr_expect_str_eq(read_line("test 17 --root", OPTIONS_BAD), "");
    cr_expect_str_eq(read_line("test 17 --root bad --json", OPTIONS_BAD), "1=bad ");
    cr_expect_str_eq(read_line("test 17 -x", OPTIONS_BAD), "");
}

Test(options, ends)
{
    const char *value = NULL;
    struct options options = begin("test -- --json");
    cr_expect_eq(options_next(&options, &value), OPTIONS_END);
    cr_expect_str_eq(options.arguments[options.next], "--json");
    options = begin("test -");
    cr_expect_eq(options_next(&options, &value), OPTIONS_END);
    cr_expect_str_eq(options.arguments[options.next], "-");
    options = begin("test");
    cr_expect_eq(options_next(&options, &value), OPTIONS_END);
    options = begin("test --json -h");
    cr_expect_eq(options_next(&options, &value), 0);
    cr_expect_eq(options_next(&options, &value), OPTIONS_HELP);
}

Test(options, refused, .init = cr_redirect_stderr)
{
    static const char *const bad[] = {"test --jsn",  "test -j",         "test --json=1",
                                      "test --root", "test --jsonjson", "test --js",
                                      "test --=",    "test --json= x"};
    const char *value = "untouched";
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct options options = begin(bad[i]);
        cr_expect_eq(options_next(&options, &value), OPTIONS_BAD, "%s", bad[i]);
    }
    cr_expect_str_eq(value, "untouched");
}

/* The environment variable of a setting, by its place in the table. */
static const char *setting(const struct run_options *options, const char *variable)
{
    for (size_t i = 0; i < config_variable_count; i++) {
        if (strcmp(config_variables[i].name, variable) == 0) {
            return options->settings[i];
        }
    }
    cr_assert_fail("no variable %s", variable);
    return NULL;
}

Test(run_options, every_variable_fits)
{
    cr_assert_leq(config_variable_count, RUN_SETTINGS_MAX);
}

Test(run_options, settings_and_command)
{
    struct run_options options;
    char **arguments = words("run --mode on --guard=64K --user-stacks --no-inherit --explain "
                             "--library x.so java --mode off");
    cr_assert_eq(run_options_parse(arguments, &options), RUN_OPTIONS_OK);
    cr_expect_str_eq(setting(&options, "THPFIX"), "on");
    cr_expect_str_eq(setting(&options, "THPFIX_GUARD"), "64K");
    cr_expect_str_eq(setting(&options, "THPFIX_USER_STACKS"), "1");
    cr_expect_str_eq(setting(&options, "THPFIX_INHERIT"), "0");
    cr_expect_null(setting(&options, "THPFIX_GATE"));
    cr_expect_str_eq(options.library, "x.so");
    cr_expect(options.explain);
    cr_expect_not(options.dry_run);
    cr_expect_str_eq(options.command[0], "java");
    cr_expect_str_eq(options.command[2], "off");
}

Test(run_options, refused, .init = cr_redirect_stderr)
{
    static const char *const bad[] = {
        "run --mode=no true",  "run --guard= true",         "run --guard=1x true",
        "run --log=here true", "run --user-stacks=1 true",  "run --inherit true",
        "run --only= true",    "run --no-user-stacks true", "run --explain --",
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct run_options options = {.library = "untouched"};
        cr_expect_eq(run_options_parse(words(bad[i]), &options), RUN_OPTIONS_BAD, "%s", bad[i]);
        cr_expect_str_eq(options.library, "untouched");
    }
}
