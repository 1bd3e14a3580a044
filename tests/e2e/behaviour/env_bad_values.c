/* A value that is none is named in one line on stderr, with its variable and the default
 * that is used in its place, and the program runs. */
#include "shim/config.h"
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/probe_run.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const bad_values[][2] = {
    {"THPFIX", "maybe"},
    {"THPFIX", "ON"},
    {"THPFIX", "on "},
    {"THPFIX_GUARD", "12q"},
    {"THPFIX_GUARD", "-1"},
    {"THPFIX_GUARD", "99999999999999999999999"},
    {"THPFIX_GUARD", "17179869184G"},
    {"THPFIX_USER_STACKS", "yes"},
    {"THPFIX_GATE", "sometimes"},
    {"THPFIX_PRETOUCH_STACK", "much"},
    {"THPFIX_PRETOUCH_HEAP", "later"},
    {"THPFIX_PRETOUCH_MIN", "64X"},
    {"THPFIX_PRETOUCH_THREADS", "-2"},
    {"THPFIX_SITES", "yes"},
    {"THPFIX_INHERIT", "2"},
    {"THPFIX_LOG", "relative/path"},
};

static const char *default_of(const char *name)
{
    for (size_t i = 0; i < config_variable_count; i++) {
        if (strcmp(config_variables[i].name, name) == 0) {
            return config_variables[i].default_value;
        }
    }
    check_failed(__FILE__, __LINE__, name);
}

/* A variable that can have a bad value has one above. */
static void every_variable_is_tried(void)
{
    for (size_t i = 0; i < config_variable_count; i++) {
        struct config config;
        bool is_tried = false;
        for (size_t j = 0; j < sizeof(bad_values) / sizeof(bad_values[0]); j++) {
            is_tried = is_tried || strcmp(config_variables[i].name, bad_values[j][0]) == 0;
        }
        CHECK(is_tried || config_variables[i].parse("no such value", &config));
    }
}

static void run_with(const char *name, const char *value, struct child_output *ret_output)
{
    static char setting[8192];
    CHECK(snprintf(setting, sizeof(setting), "%s=%s", name, value) < (int)sizeof(setting));
    probe_run((const char *const[]){setting, NULL}, ret_output);
}

static void one_line_names_it(const char *name, const char *value)
{
    struct child_output output;
    run_with(name, value, &output);
    printf("%s", output.err);
    fflush(stdout);
    CHECK_EQUAL(count_lines(output.err), 1);
    CHECK(strncmp(output.err, "thpfix[", strlen("thpfix[")) == 0);
    CHECK(strstr(output.err, name) != NULL);
    CHECK(strstr(output.err, value) != NULL);
    const char *after_value = strstr(output.err, value) + strlen(value);
    CHECK(strstr(after_value, default_of(name)) != NULL);
}

/* Text that would make several lines, or a screen do things, makes one line all the same. */
static void stays_one_line(const char *name, const char *value)
{
    struct child_output output;
    run_with(name, value, &output);
    CHECK_EQUAL(count_lines(output.err), 1);
    CHECK(strchr(output.err, '\033') == NULL);
    CHECK(strstr(output.err, name) != NULL);
    CHECK(strstr(output.err, default_of(name)) != NULL);
}

int main(int argc, char **argv)
{
    static char long_value[4000];
    struct child_output output;
    probe_arguments(argc, argv);
    every_variable_is_tried();
    for (size_t i = 0; i < sizeof(bad_values) / sizeof(bad_values[0]); i++) {
        one_line_names_it(bad_values[i][0], bad_values[i][1]);
    }
    stays_one_line("THPFIX", "on\nthpfix[1]: start");
    stays_one_line("THPFIX_GUARD", "\033[2J");
    memset(long_value, 'x', sizeof(long_value) - 1);
    stays_one_line("THPFIX_GATE", long_value);

    /* Several bad ones, a line each; and an empty one is none. */
    probe_run((const char *const[]){"THPFIX=1", "THPFIX_GUARD=x", "THPFIX_INHERIT=x", NULL},
              &output);
    CHECK_EQUAL(count_lines(output.err), 3);
    probe_run((const char *const[]){"THPFIX=", "THPFIX_GUARD=", "THPFIX_GATE=", NULL}, &output);
    CHECK(strcmp(output.err, "") == 0);
    return EXIT_SUCCESS;
}
