/* In a program with more rights than its user (AT_SECURE), which has the library because
 * it is linked with it, the user's variables are ignored. Arguments: LIBRARY PROBE, a
 * probe linked with the library. */
#include "detect/verdict.h"
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/probe_run.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define OTHER_GROUP 65534

static void copy_with_rights_of_group(const char *to)
{
    struct stat status;
    int in = open(probe_program, O_RDONLY | O_CLOEXEC);
    int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
    CHECK(in >= 0 && out >= 0);
    CHECK_OK(fstat(in, &status));
    CHECK_EQUAL(sendfile(out, in, NULL, (size_t)status.st_size), status.st_size);
    CHECK_OK(fchown(out, geteuid(), OTHER_GROUP));
    CHECK_OK(fchmod(out, 02755));
    close(in);
    close(out);
}

static void run(const char *program, const char *log, struct child_output *ret_output)
{
    char log_setting[96];
    snprintf(log_setting, sizeof(log_setting), "THPFIX_LOG=%s", log);
    probe_run_with(program, NULL,
                   (const char *const[]){"LD_PRELOAD", "THPFIX=on", "THPFIX_GUARD=nonsense",
                                         log_setting, NULL},
                   ret_output);
    CHECK_EQUAL(probe_number(ret_output, "loaded"), 1);
}

int main(int argc, char **argv)
{
    char directory[] = "/tmp/behaviour-secure-XXXXXX", program[64], log[64];
    struct statvfs file_system;
    struct child_output output;
    probe_arguments(argc, argv);
    if (geteuid() != 0) {
        skip("needs root, to make a set-group-ID program");
    }
    CHECK(mkdtemp(directory) != NULL);
    CHECK_OK(statvfs(directory, &file_system));
    if ((file_system.f_flag & ST_NOSUID) != 0) {
        CHECK_OK(rmdir(directory));
        skip("/tmp is mounted nosuid");
    }
    snprintf(program, sizeof(program), "%s/probe", directory);
    snprintf(log, sizeof(log), "%s/log", directory);

    run(probe_program, log, &output);
    CHECK_EQUAL(probe_number(&output, "secure"), 0);
    CHECK_EQUAL(probe_number(&output, "verdict_reason"), VERDICT_REASON_FORCED_ON);
    CHECK_EQUAL(count_lines(output.err), 1);
    CHECK_OK(unlink(log));

    copy_with_rights_of_group(program);
    run(program, log, &output);
    CHECK_OK(unlink(program));
    CHECK_EQUAL(probe_number(&output, "secure"), 1);
    CHECK(probe_number(&output, "verdict_reason") != VERDICT_REASON_FORCED_ON);
    CHECK(strcmp(output.err, "") == 0);
    CHECK(access(log, F_OK) != 0);
    CHECK_OK(rmdir(directory));
    return EXIT_SUCCESS;
}
