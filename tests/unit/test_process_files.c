#include "detect/process_files.h"
#include "detect/process_smaps.h"
#include "detect/root_read.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAX 512

struct list {
    struct smaps_mapping mappings[MAX];
    size_t count;
};

static int keep_files(const struct smaps_mapping *mapping, void *context)
{
    struct list *list = context;
    if (mapping->inode != 0 && list->count < MAX) {
        list->mappings[list->count++] = *mapping;
    }
    return 0;
}

/* What the kernel answers is what it writes. */
Test(process_files, as_in_maps)
{
    static struct list written;
    struct smaps_mapping asked;
    int memory = memfd_create("shared by two\n", 0);
    cr_assert_geq(memory, 0);
    cr_assert_eq(ftruncate(memory, 8192), 0);
    cr_assert_neq(mmap(NULL, 4096, PROT_READ, MAP_SHARED, memory, 4096), MAP_FAILED);
    cr_assert_neq(mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE, memory, 0), MAP_FAILED);
    int fd = open("/proc/self/maps", O_RDONLY);
    cr_assert_geq(fd, 0);
    int result = process_next_file(fd, 0, &asked);
    if (result == -ENOTTY) {
        cr_skip_test("PROCMAP_QUERY is in Linux 6.11 and later");
    }
    cr_assert_eq(result, 0);
    cr_assert_eq(process_read_maps(ROOT_HOST, getpid(), keep_files, &written), 0);
    cr_assert_gt(written.count, 5);
    uint64_t address = 0;
    for (size_t i = 0; i < written.count; i++) {
        const struct smaps_mapping *map = &written.mappings[i];
        cr_assert_eq(process_next_file(fd, address, &asked), 0);
        cr_assert_eq(asked.start, map->start);
        cr_assert_eq(asked.end, map->end, "%s", map->name);
        cr_assert_eq(asked.offset, map->offset, "%s", map->name);
        cr_assert_eq(asked.inode, map->inode, "%s", map->name);
        cr_assert_eq(asked.readable, map->readable, "%s", map->name);
        cr_assert_eq(asked.writable, map->writable, "%s", map->name);
        cr_assert_eq(asked.executable, map->executable, "%s", map->name);
        cr_assert_eq(asked.shared, map->shared, "%s", map->name);
        if (strchr(asked.name, '\n') == NULL) { /* which maps writes as \012 */
            cr_assert_str_eq(asked.name, map->name);
        }
        address = asked.end;
    }
    cr_assert_eq(process_next_file(fd, address, &asked), -ENOENT, "the last is the last");
    close(fd);
}

Test(process_files, what_is_no_list_of_mappings_does_not_answer)
{
    struct smaps_mapping untouched = {.start = 17};
    int fd = open("/dev/null", O_RDONLY);
    errno = 5;
    int result = process_next_file(fd, 0, &untouched);
    cr_assert_lt(result, 0);
    cr_assert_neq(result, -ENOENT);
    cr_assert_eq(errno, 5);
    cr_assert_eq(untouched.start, 17);
    close(fd);
}
