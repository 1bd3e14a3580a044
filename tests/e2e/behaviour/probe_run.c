#include "tests/e2e/behaviour/probe_run.h"

#include "shim/config.h"
#include "tests/e2e/behaviour/check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SETTINGS 32

const char *probe_library;
const char *probe_program;

void probe_arguments(int argc, char **argv)
{
    CHECK_EQUAL(argc, 3);
    probe_library = argv[1];
    probe_program = argv[2];
}

void probe_run_with(const char *program, const char *argument, const char *const settings[],
                    struct child_output *ret_output)
{
    const char *command[] = {program, argument, NULL};
    const char *all[MOST_SETTINGS + 1];
    char preload[4096];
    size_t count = 0;
    CHECK(snprintf(preload, sizeof(preload), "LD_PRELOAD=%s", probe_library) <
          (int)sizeof(preload));
    all[count++] = preload;
    for (size_t i = 0; i < config_variable_count; i++) {
        CHECK(count < MOST_SETTINGS);
        all[count++] = config_variables[i].name;
    }
    for (; *settings != NULL; settings++) {
        CHECK(count < MOST_SETTINGS);
        all[count++] = *settings;
    }
    all[count] = NULL;
    child_exec(command, all, ret_output);
    if (ret_output->status != 0) {
        fprintf(stderr, "%s%s", ret_output->out, ret_output->err);
    }
    CHECK_EQUAL(ret_output->status, 0);
    CHECK_EQUAL(probe_number(ret_output, "thread"), 0);
}

void probe_run(const char *const settings[], struct child_output *ret_output)
{
    probe_run_with(probe_program, NULL, settings, ret_output);
}

bool probe_text(const struct child_output *output, const char *name, char *ret_text, size_t size)
{
    size_t length = strlen(name);
    for (const char *line = output->out; line != NULL && *line != '\0';) {
        const char *end = strchr(line, '\n');
        CHECK(end != NULL);
        if (strncmp(line, name, length) == 0 && line[length] == '=') {
            const char *value = line + length + 1;
            CHECK((size_t)(end - value) < size);
            memcpy(ret_text, value, (size_t)(end - value));
            ret_text[end - value] = '\0';
            return true;
        }
        line = end + 1;
    }
    return false;
}

long probe_number(const struct child_output *output, const char *name)
{
    char text[32], *end;
    if (!probe_text(output, name, text, sizeof(text))) {
        check_failed(__FILE__, __LINE__, name);
    }
    long number = strtol(text, &end, 10);
    CHECK(end != text && *end == '\0');
    return number;
}

int count_lines(const char *text)
{
    int lines = 0;
    for (; *text != '\0'; text++) {
        lines += *text == '\n';
    }
    return lines;
}
