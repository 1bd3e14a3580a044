/* start_time RUNS PRELOAD-A PRELOAD-B: CPU time of a program without threads (this one, without
 * arguments), with either library preloaded, in turn. Its start is all it does, and nothing
 * in it waits, so that on an idle machine this is the time it takes. Prints medians,
 * key=value. */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

static int compare_times(const void *a, const void *b)
{
    long long left = *(const long long *)a, right = *(const long long *)b;

    return left < right ? -1 : left > right;
}

static long long run_once(char *preload)
{
    static char name[] = "start_time";
    char *arguments[] = {name, NULL};
    char *environment[] = {preload, NULL};
    pid_t pid;
    struct rusage usage;
    int status;

    int error = posix_spawn(&pid, "/proc/self/exe", NULL, NULL, arguments, environment);
    if (error) {
        fprintf(stderr, "posix_spawn: %s\n", strerror(error));
        exit(EXIT_FAILURE);
    }
    if (wait4(pid, &status, 0, &usage) != pid || status != 0) {
        fprintf(stderr, "%s: status %d\n", preload, status);
        exit(EXIT_FAILURE);
    }
    return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000LL +
           (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000LL;
}

int main(int argc, char **argv)
{
    char preload[2][4096];
    long long *times[2] = {NULL, NULL};
    int status = EXIT_FAILURE;

    if (argc == 1)
        return EXIT_SUCCESS; /* the program that is measured */
    size_t runs = argc == 4 ? strtoul(argv[1], NULL, 10) : 0;
    if (!runs) {
        fprintf(stderr, "usage: start_time RUNS PRELOAD-A PRELOAD-B\n");
        return 2;
    }
    for (int i = 0; i < 2; i++) {
        snprintf(preload[i], sizeof(preload[i]), "LD_PRELOAD=%s", argv[2 + i]);
        times[i] = calloc(runs, sizeof(*times[i]));
        if (!times[i])
            goto done;
        run_once(preload[i]); /* fills the page cache */
    }
    for (size_t run = 0; run < runs; run++) {
        for (int i = 0; i < 2; i++)
            times[i][run] = run_once(preload[i]);
    }
    for (int i = 0; i < 2; i++) {
        qsort(times[i], runs, sizeof(*times[i]), compare_times);
        printf("%c_ns=%lld\n", "ab"[i], times[i][runs / 2]);
    }
    status = EXIT_SUCCESS;
done:
    for (int i = 0; i < 2; i++)
        free(times[i]);
    return status;
}
