/* raw_sum PID: the memory of a stopped process's thread stacks, from the raw text of
 * /proc and by another way than the command's: the mapping that a thread's stack pointer
 * lies in is its stack. That holds where stacks are not merged with anything else.
 * Prints "THREADS RESIDENT_BYTES HUGE_BYTES ALL_RESIDENT_BYTES ALL_HUGE_BYTES".
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTERS_MAX = 100000 };

static unsigned long pointers[POINTERS_MAX];
static size_t pointer_count;

static FILE *open_file(const char *pid, const char *rest)
{
    char path[512];

    snprintf(path, sizeof(path), "/proc/%.20s/%s", pid, rest);
    FILE *file = fopen(path, "re");
    if (!file) {
        perror(path);
        exit(1);
    }
    return file;
}

static void read_pointers(const char *pid)
{
    char path[256];
    struct dirent *entry;

    snprintf(path, sizeof(path), "/proc/%s/task", pid);
    DIR *tasks = opendir(path);
    while (tasks && (entry = readdir(tasks))) {
        char line[512] = "";
        if (entry->d_name[0] == '.' || strcmp(entry->d_name, pid) == 0)
            continue;
        snprintf(path, sizeof(path), "task/%.20s/syscall", entry->d_name);
        FILE *file = open_file(pid, path);
        char *last = fgets(line, sizeof(line), file) ? strrchr(line, ' ') : NULL;
        fclose(file);
        if (!last) {
            fprintf(stderr, "thread %s: no stack pointer in '%s'\n", entry->d_name, line);
            exit(1);
        }
        *last = '\0';
        if (pointer_count == POINTERS_MAX) {
            fprintf(stderr, "more than %d threads\n", POINTERS_MAX);
            exit(1);
        }
        pointers[pointer_count++] = strtoul(strrchr(line, ' ') + 1, NULL, 16);
    }
    if (tasks)
        closedir(tasks);
}

int main(int argc, char **argv)
{
    char line[4096];
    unsigned long start, end, kib, resident = 0, huge = 0, all_resident = 0, all_huge = 0;
    bool in_stack = false;

    if (argc != 2)
        return 2;
    read_pointers(argv[1]);
    FILE *smaps = open_file(argv[1], "smaps");
    while (fgets(line, sizeof(line), smaps)) {
        if (sscanf(line, "%lx-%lx ", &start, &end) == 2) {
            in_stack = false;
            for (size_t i = 0; i < pointer_count; i++)
                in_stack |= pointers[i] >= start && pointers[i] < end;
        } else if (sscanf(line, "Rss: %lu kB", &kib) == 1) {
            all_resident += kib * 1024;
            resident += in_stack ? kib * 1024 : 0;
        } else if (sscanf(line, "AnonHugePages: %lu kB", &kib) == 1) {
            all_huge += kib * 1024;
            huge += in_stack ? kib * 1024 : 0;
        }
    }
    fclose(smaps);
    printf("%zu %lu %lu %lu %lu\n", pointer_count, resident, huge, all_resident, all_huge);
    return 0;
}
