/* measure ROUNDS FILE-LIST COMMAND...: reads the files named in FILE-LIST to nowhere, in a
 * process of its own, and runs COMMAND with its output thrown away, in turn. Prints
 * medians as shell assignments.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS_MAX = 1000, FILES_MAX = 10000 };

static char *files[FILES_MAX];
static size_t file_count;

struct cost {
    double ms[ROUNDS_MAX], cpu_ms[ROUNDS_MAX];
    long memory_kib;
};

static _Noreturn void read_all(void)
{
    static char buffer[128 * 1024];

    for (size_t i = 0; i < file_count; i++) {
        int fd = open(files[i], O_RDONLY | O_CLOEXEC);
        while (fd >= 0 && read(fd, buffer, sizeof(buffer)) > 0)
            continue;
        close(fd);
    }
    _exit(0);
}

static double milliseconds(struct timeval time)
{
    return (double)time.tv_sec * 1e3 + (double)time.tv_usec / 1e3;
}

static void run(char **command, size_t round, struct cost *cost)
{
    struct timespec before, after;
    struct rusage usage;
    int status;

    clock_gettime(CLOCK_MONOTONIC, &before);
    pid_t pid = fork();
    if (pid == 0) {
        if (!command)
            read_all();
        int fd = open("/dev/null", O_WRONLY);
        dup2(fd, STDOUT_FILENO);
        execv(command[0], command);
        _exit(127);
    }
    if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || !WIFEXITED(status) ||
        WEXITSTATUS(status) > 1) {
        fprintf(stderr, "measure: %s failed\n", command ? command[0] : "reading");
        exit(1);
    }
    clock_gettime(CLOCK_MONOTONIC, &after);
    cost->ms[round] = (double)(after.tv_sec - before.tv_sec) * 1e3 +
                      (double)(after.tv_nsec - before.tv_nsec) / 1e6;
    cost->cpu_ms[round] = milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime);
    if (usage.ru_maxrss > cost->memory_kib)
        cost->memory_kib = usage.ru_maxrss;
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof(*values), compare);
    return values[count / 2];
}

int main(int argc, char **argv)
{
    static struct cost base, command;
    static char line[FILES_MAX][64];

    size_t rounds = argc > 3 ? strtoul(argv[1], NULL, 10) : 0;
    if (rounds == 0 || rounds > ROUNDS_MAX)
        return 2;
    FILE *list = fopen(argv[2], "re");
    while (list && file_count < FILES_MAX && fgets(line[file_count], sizeof(line[0]), list)) {
        line[file_count][strcspn(line[file_count], "\n")] = '\0';
        files[file_count] = line[file_count];
        file_count++;
    }
    if (!list || fclose(list) != 0 || file_count == 0)
        return 2;
    for (size_t i = 0; i < rounds; i++) {
        run(NULL, i, &base);
        run(argv + 3, i, &command);
    }
    double base_ms = median(base.ms, rounds), command_ms = median(command.ms, rounds);
    printf("base_ms=%.1f\ncommand_ms=%.1f\nratio=%.2f\n", base_ms, command_ms,
           command_ms / base_ms);
    printf("cpu_ratio=%.2f\n", median(command.cpu_ms, rounds) / median(base.cpu_ms, rounds));
    printf("memory_mib=%.1f\n", (double)command.memory_kib / 1024);
    return 0;
}
