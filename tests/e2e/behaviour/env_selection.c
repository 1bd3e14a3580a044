/* THPFIX_ONLY and THPFIX_EXCLUDE select programs by name. */
#include "detect/verdict.h"
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/probe_run.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The probe's name is behaviour-probe. */
static void selects(const char *setting, const char *another, bool expected)
{
    struct child_output output;
    probe_run((const char *const[]){"THPFIX=on", setting, another, NULL}, &output);
    CHECK(strcmp(output.err, "") == 0);
    CHECK_EQUAL(probe_number(&output, "verdict_kind"), expected ? VERDICT_ACTIVE : VERDICT_INERT);
    CHECK_EQUAL(probe_number(&output, "verdict_reason"),
                expected ? VERDICT_REASON_FORCED_ON : VERDICT_REASON_PROGRAM_NOT_SELECTED);
    CHECK_EQUAL(probe_number(&output, "threads_guarded"), expected);
}

int main(int argc, char **argv)
{
    probe_arguments(argc, argv);
    const char *name = strrchr(probe_program, '/');
    CHECK(name != NULL && strcmp(name + 1, "behaviour-probe") == 0);

    selects("THPFIX_ONLY=behaviour-probe", NULL, true);
    selects("THPFIX_ONLY=java,behaviour-*", NULL, true);
    selects("THPFIX_ONLY=java:*probe", NULL, true);
    selects("THPFIX_ONLY=behaviour?prob?", NULL, true);
    selects("THPFIX_ONLY=java,mysqld", NULL, false);
    selects("THPFIX_ONLY=behaviour", NULL, false);
    selects("THPFIX_ONLY=probe", NULL, false);
    selects("THPFIX_ONLY=", NULL, true);
    selects("THPFIX_EXCLUDE=behaviour-probe", NULL, false);
    selects("THPFIX_EXCLUDE=java,*", NULL, false);
    selects("THPFIX_EXCLUDE=java", NULL, true);
    selects("THPFIX_ONLY=behaviour-*", "THPFIX_EXCLUDE=*probe", false);
    selects("THPFIX_ONLY=behaviour-*", "THPFIX_EXCLUDE=*other", true);
    return EXIT_SUCCESS;
}
