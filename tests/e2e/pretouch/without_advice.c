/* without_advice ERRNO COMMAND…: runs a command on a kernel on which MADV_POPULATE_WRITE does
 * nothing and answers with that error; with 0 it lies. */
#include "tests/unit/seccomp_madvise.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc < 3 || !answer_populate(SECCOMP_RET_ERRNO | (uint32_t)atoi(argv[1]))) {
        perror("without_advice");
        return EXIT_FAILURE;
    }
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    return EXIT_FAILURE;
}
