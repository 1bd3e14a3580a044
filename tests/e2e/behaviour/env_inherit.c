/* THPFIX_INHERIT=0 takes our own element, and no other, out of the LD_PRELOAD that
 * children get; the process itself keeps the library. Arguments: LIBRARY PROBE OTHER,
 * OTHER being a harmless library. */
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/probe_run.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *other;

/* O and T in a form stand for the other library and this one. */
static void expand(const char *form, char *ret_text, size_t size)
{
    size_t length = 0;
    for (; *form != '\0'; form++) {
        char one[2] = {*form, '\0'};
        const char *part = *form == 'O' ? other : *form == 'T' ? probe_library : one;
        int printed = snprintf(ret_text + length, size - length, "%s", part);
        CHECK(printed > 0 && (size_t)printed < size - length);
        length += (size_t)printed;
    }
    ret_text[length] = '\0';
}

static void inherits(const char *inherit, const char *before_form, const char *after_form)
{
    struct child_output output;
    char before[4096], after[4096], got[4096], setting[4200];
    expand(before_form, before, sizeof(before));
    expand(after_form, after, sizeof(after));
    snprintf(setting, sizeof(setting), "LD_PRELOAD=%s", before);
    probe_run((const char *const[]){"THPFIX=on", inherit, setting, NULL}, &output);
    CHECK_EQUAL(probe_number(&output, "loaded"), 1);
    CHECK_EQUAL(probe_number(&output, "threads_seen"), 1);
    CHECK(probe_text(&output, "preload", got, sizeof(got)));
    if (strcmp(got, after) != 0) {
        fprintf(stderr, "LD_PRELOAD=%s\nbecame %s\n, not %s\n", before, got, after);
    }
    CHECK(strcmp(got, after) == 0);
}

int main(int argc, char **argv)
{
    CHECK_EQUAL(argc, 4);
    other = argv[3];
    probe_arguments(argc - 1, argv);

    static const char *const keep[] = {"THPFIX_INHERIT=1", "THPFIX_INHERIT="};
    for (size_t i = 0; i < sizeof(keep) / sizeof(keep[0]); i++) {
        inherits(keep[i], "T", "T");
        inherits(keep[i], "O:T:O", "O:T:O");
    }
    static const char *const cases[][2] = {
        {"T", "(unset)"}, {"T:O", "O"}, {"O:T", "O"},     {"O:T:O", "O:O"},   {"O T O", "O O"},
        {"T O", "O"},     {"O T", "O"}, {"O:T O", "O:O"}, {"T:T", "(unset)"}, {"T:O:T", "O"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        inherits("THPFIX_INHERIT=0", cases[i][0], cases[i][1]);
    }
    return EXIT_SUCCESS;
}
