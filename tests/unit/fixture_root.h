/* Root directories for what reads /sys and /proc: recorded ones, and ones that a test
 * writes. Helpers of the unit tests: they fail the test where they cannot do their
 * work, and return no errors. */
#ifndef THPFIX_TESTS_FIXTURE_ROOT_H
#define THPFIX_TESTS_FIXTURE_ROOT_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A descriptor of tests/fixtures/roots/<name>. */
int fixture_root_open(const char *name);

/* The text of a file below it, NUL-terminated; to be freed. */
char *fixture_root_text(const char *name, const char *path);

/* An empty directory under $TMPDIR or /tmp, gone after fixture_root_remove. Puts its
 * path into ret_path. */
#define FIXTURE_PATH_BYTES 256
int fixture_root_make(char ret_path[FIXTURE_PATH_BYTES]);
void fixture_root_remove(const char *path);

/* Writes a file below the directory root, and the directories on the way to it. */
void fixture_root_write(int root, const char *path, const char *text);

/* Runs check in a forked child, where it may change what a process has only one of:
 * user, limits, prctl flags. There, CHILD_REQUIRE takes the place of cr_assert. */
void fixture_in_child(void (*check)(void *context), void *context);

#define CHILD_REQUIRE(condition)                                                                   \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);              \
            _exit(EXIT_FAILURE);                                                                   \
        }                                                                                          \
    } while (0)

#endif
