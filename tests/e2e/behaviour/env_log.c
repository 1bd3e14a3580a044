/* THPFIX_LOG: off by default, and then not one byte; else exactly a line at start and a
 * line at exit, on stderr or in a file. */
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/probe_run.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void silent(const char *const settings[])
{
    struct child_output output;
    probe_run(settings, &output);
    CHECK_EQUAL(probe_number(&output, "loaded"), 1);
    CHECK(strcmp(output.err, "") == 0);
}

static void two_lines(const char *text, const struct child_output *output)
{
    char prefix[64];
    CHECK_EQUAL(count_lines(text), 2);
    snprintf(prefix, sizeof(prefix), "thpfix[%d]: start ", (int)output->pid);
    CHECK(strncmp(text, prefix, strlen(prefix)) == 0);
    const char *second = strchr(text, '\n') + 1;
    snprintf(prefix, sizeof(prefix), "thpfix[%d]: exit ", (int)output->pid);
    CHECK(strncmp(second, prefix, strlen(prefix)) == 0);
    CHECK(strstr(second, " threads_seen=1 ") != NULL);
    CHECK(text[strlen(text) - 1] == '\n');
}

static void lines_on_stderr(const char *mode, const char *argument)
{
    struct child_output output;
    const char *settings[] = {mode, "THPFIX_LOG=stderr", NULL};
    probe_run_with(probe_program, argument, settings, &output);
    two_lines(output.err, &output);
}

static void lines_in_file(void)
{
    char directory[] = "/tmp/behaviour-log-XXXXXX", path[64], setting[96];
    char text[4096];
    struct child_output first, second;
    CHECK(mkdtemp(directory) != NULL);
    snprintf(path, sizeof(path), "%s/log", directory);
    snprintf(setting, sizeof(setting), "THPFIX_LOG=%s", path);
    const char *settings[] = {"THPFIX=on", setting, NULL};
    probe_run(settings, &first);
    probe_run(settings, &second);
    CHECK(strcmp(first.err, "") == 0);
    CHECK(strcmp(second.err, "") == 0);

    int fd = open(path, O_RDONLY | O_CLOEXEC);
    CHECK(fd >= 0);
    ssize_t length = read(fd, text, sizeof(text) - 1);
    CHECK(length > 0);
    text[length] = '\0';
    close(fd);
    CHECK_OK(unlink(path));
    CHECK_OK(rmdir(directory));

    CHECK_EQUAL(count_lines(text), 4);
    char *rest = strchr(strchr(text, '\n') + 1, '\n') + 1;
    two_lines(rest, &second);
    *rest = '\0';
    two_lines(text, &first);
}

int main(int argc, char **argv)
{
    probe_arguments(argc, argv);
    silent((const char *const[]){NULL});
    silent((const char *const[]){"THPFIX=on", NULL});
    silent((const char *const[]){"THPFIX=off", NULL});
    silent((const char *const[]){"THPFIX=on", "THPFIX_LOG=", NULL});
    silent((const char *const[]){"THPFIX=on", "THPFIX_LOG=/no/such/directory/log", NULL});
    lines_on_stderr("THPFIX=on", NULL);
    lines_on_stderr("THPFIX=off", NULL);
    lines_on_stderr("THPFIX=auto", NULL);
    lines_on_stderr("THPFIX=on", "fork"); /* the child's exit is not the program's */
    lines_in_file();
    return EXIT_SUCCESS;
}
