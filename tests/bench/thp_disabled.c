/* thp_disabled COMMAND [ARGUMENT]...: runs a command with PR_SET_THP_DISABLE, as systemd's
 * MemoryTHP= does: no huge pages for the process and its children, heap included. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { EXIT_OWN_FAILURE = 125, EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127 };

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: thp_disabled COMMAND [ARGUMENT]...\n");
        return EXIT_OWN_FAILURE;
    }
    if (prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) < 0) {
        fprintf(stderr, "thp_disabled: PR_SET_THP_DISABLE: %s\n", strerror(errno));
        return EXIT_OWN_FAILURE;
    }
    execvp(argv[1], argv + 1);
    int error = errno;
    fprintf(stderr, "thp_disabled: %s: %s\n", argv[1], strerror(error));
    return error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}
