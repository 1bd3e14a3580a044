/* Threads are made in a root directory that has neither /proc nor /sys: of a process that
 * goes there before its first thread, and of one that was started there.
 * Arguments: LIBRARY PROBE. */
#include "detect/verdict.h"
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/probe_run.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/behaviour-root-XXXXXX";

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *state)
{
    (void)status;
    (void)type;
    (void)state;
    return remove(path);
}

static void copy(const char *from, const char *to)
{
    char path[4096];
    struct stat status;
    snprintf(path, sizeof(path), "%s%s", root, to);
    for (char *slash = path + sizeof(root); (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        CHECK(mkdir(path, 0755) == 0 || errno == EEXIST);
        *slash = '/';
    }
    int in = open(from, O_RDONLY | O_CLOEXEC);
    int out = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
    CHECK(in >= 0 && out >= 0);
    CHECK_OK(fstat(in, &status));
    CHECK_EQUAL(sendfile(out, in, NULL, (size_t)status.st_size), status.st_size);
    close(in);
    close(out);
}

/* Every object of this program is one of the probe's, or does no harm. */
static int copy_object(struct dl_phdr_info *object, size_t size, void *context)
{
    (void)size;
    (void)context;
    if (object->dlpi_name[0] == '/') {
        copy(object->dlpi_name, object->dlpi_name);
    }
    return 0;
}

static void started_there(const char *mode, long *ret_kind)
{
    struct child_output output;
    /* A program of the root's own cannot be run by name from outside: a small step. */
    const char *command[] = {"/proc/self/exe", "step", root, NULL};
    child_exec(command, (const char *const[]){"LD_PRELOAD", mode, NULL}, &output);
    if (output.status != 0) {
        fprintf(stderr, "%s%s", output.out, output.err);
    }
    CHECK_EQUAL(output.status, 0);
    CHECK(strcmp(output.err, "") == 0);
    CHECK_EQUAL(probe_number(&output, "thread"), 0);
    CHECK_EQUAL(probe_number(&output, "loaded"), 1);
    CHECK_EQUAL(probe_number(&output, "threads_seen"), 1);
    *ret_kind = probe_number(&output, "verdict_kind");
}

static int step_inside(const char *directory)
{
    char name[] = "probe", *command[] = {name, NULL};
    CHECK_OK(chroot(directory));
    CHECK_OK(chdir("/"));
    CHECK(access("/proc/self", F_OK) != 0 && access("/sys/kernel", F_OK) != 0);
    CHECK_OK(setenv("LD_PRELOAD", "/libthpfix.so", 1));
    execv("/probe", command);
    check_failed(__FILE__, __LINE__, "exec of the probe");
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "step") == 0) {
        return step_inside(argv[2]);
    }
    probe_arguments(argc, argv);
    if (geteuid() != 0) {
        skip("needs root, to change the root directory");
    }
    CHECK(mkdtemp(root) != NULL);
    copy(probe_library, "/libthpfix.so");
    copy(probe_program, "/probe");
    /* Loaded here as well, so that what it needs is among the objects. */
    CHECK(dlopen(probe_library, RTLD_NOW | RTLD_LOCAL) != NULL);
    dl_iterate_phdr(copy_object, NULL);
    long forced, automatic;
    started_there("THPFIX=on", &forced);
    started_there("THPFIX=auto", &automatic);
    CHECK_OK(nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS));
    CHECK_EQUAL(forced, VERDICT_ACTIVE);
    CHECK(automatic != VERDICT_ACTIVE);
    return EXIT_SUCCESS;
}
