#include "tests/e2e/pretouch/range.h"

#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/memory.h"
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define BLOCK_BYTES  (2 * MIB)
#define WAIT_MOMENTS 24000 /* of 10 ms: on a busy machine the library gives way */

unsigned char *range_map(size_t bytes)
{
    unsigned char *room = mmap(NULL, bytes + BLOCK_BYTES, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(room != MAP_FAILED);
    uintptr_t start = ((uintptr_t)room + BLOCK_BYTES - 1) & ~(uintptr_t)(BLOCK_BYTES - 1);
    CHECK_EQUAL(range_resident_bytes((void *)start, bytes), 0);
    return (unsigned char *)start;
}

size_t range_resident_bytes(const void *start, size_t bytes)
{
    size_t page = memory_page_bytes(), count = bytes / page, resident = 0;
    unsigned char *present = malloc(count);
    CHECK(present != NULL);
    CHECK_OK(mincore((void *)(uintptr_t)start, bytes, present));
    for (size_t i = 0; i < count; i++) {
        resident += present[i] & 1;
    }
    free(present);
    return resident * page;
}

size_t range_huge_bytes(const void *start)
{
    FILE *file = fopen("/proc/self/smaps", "re");
    CHECK(file != NULL);
    char line[1024];
    bool within = false;
    size_t kib = 0;
    while (fgets(line, sizeof(line), file) != NULL) {
        uintptr_t from, to;
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &from, &to) == 2) {
            within = from <= (uintptr_t)start && (uintptr_t)start < to;
        } else if (within && sscanf(line, "AnonHugePages: %zu kB", &kib) == 1) {
            break;
        }
    }
    fclose(file);
    return kib << 10;
}

static void sleep_a_moment(void)
{
    struct timespec moment = {0, 10 * 1000 * 1000};
    (void)nanosleep(&moment, NULL);
}

bool range_wait_resident(const void *start, size_t bytes, size_t resident_bytes)
{
    for (int i = 0; i < WAIT_MOMENTS; i++) {
        if (range_resident_bytes(start, bytes) >= resident_bytes) {
            return true;
        }
        sleep_a_moment();
    }
    return false;
}

int worker_id(void)
{
    DIR *tasks = opendir("/proc/self/task");
    CHECK(tasks != NULL);
    int id = 0;
    for (struct dirent *task; id == 0 && (task = readdir(tasks)) != NULL;) {
        if (task->d_name[0] != '.' && atoi(task->d_name) != getpid()) {
            id = atoi(task->d_name);
        }
    }
    closedir(tasks);
    return id;
}

bool worker_wait_gone(void)
{
    for (int i = 0; i < WAIT_MOMENTS && worker_id() != 0; i++) {
        sleep_a_moment();
    }
    return worker_id() == 0;
}
