#include "detect/process_kinds.h"
#include <criterion/criterion.h>
#include <string.h>

static struct smaps_mapping mapping(uint64_t start, uint64_t end, const char *name)
{
    struct smaps_mapping made = {.start = start, .end = end, .readable = true, .writable = true};
    strcpy(made.name, name);
    return made;
}

Test(process_kinds, the_kernel_s_names)
{
    static const struct {
        const char *name;
        bool shared;
        uint64_t inode;
        enum memory_kind kind;
    } cases[] = {
        {"", false, 0, MEMORY_ANONYMOUS},
        {"[anon:jemalloc]", false, 0, MEMORY_ANONYMOUS},
        {"[heap]", false, 0, MEMORY_MAIN_HEAP},
        {"[stack]", false, 0, MEMORY_MAIN_STACK},
        {"[stack:17]", false, 0, MEMORY_ANONYMOUS},
        {"[vdso]", false, 0, MEMORY_KERNEL},
        {"[vvar]", false, 0, MEMORY_KERNEL},
        {"[something new]", false, 0, MEMORY_KERNEL},
        {"/usr/lib/libc.so.6", false, 7, MEMORY_FILES},
        {"/var/lib/data", true, 7, MEMORY_FILES},
        {"/tmp/x (deleted)", false, 7, MEMORY_FILES},
        {"/memfd:buffer (deleted)", true, 7, MEMORY_SHARED},
        {"/memfd:buffer (deleted)", false, 7, MEMORY_SHARED},
        {"/dev/shm/pool", true, 7, MEMORY_SHARED},
        {"/dev/zero (deleted)", true, 7, MEMORY_SHARED},
        {"/SYSV00000000 (deleted)", true, 7, MEMORY_SHARED},
        {"[anon_shmem:x]", true, 7, MEMORY_SHARED},
        {"", true, 7, MEMORY_SHARED},
        {"anon_inode:[perf_event]", false, 7, MEMORY_FILES},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct smaps_mapping made = mapping(0x1000, 0x2000, cases[i].name);
        made.shared = cases[i].shared;
        made.inode = cases[i].inode;
        cr_assert_eq(memory_kind_of(&made), cases[i].kind, "'%s'", cases[i].name);
    }
}

Test(process_kinds, sums_and_order)
{
    struct process_maps maps = {0};
    for (uint64_t i = 0; i < 1000; i++) {
        struct smaps_mapping made = mapping(0x10000 + i * 0x3000, 0x12000 + i * 0x3000, "");
        made.rss_bytes = 4096;
        made.anon_huge_bytes = 10;
        made.swap_bytes = 1;
        cr_assert_eq(process_maps_add(&made, &maps), 0);
    }
    struct smaps_mapping file = mapping(0x7f0000000000, 0x7f0000001000, "/bin/x");
    file.rss_bytes = 1;
    cr_assert_eq(process_maps_add(&file, &maps), 0);
    /* A list that changed while it was told may go back: the order is kept. */
    struct smaps_mapping back = mapping(0x10000, 0x20000, "");
    cr_assert_eq(process_maps_add(&back, &maps), 0);
    cr_assert_eq(maps.count, 1000, "files are not listed, nor what goes back");
    cr_assert_eq(maps.total.rss_bytes, 1000 * 4096 + 1);
    cr_assert_eq(maps.kinds[MEMORY_FILES].rss_bytes, 1);
    cr_assert_eq(maps.kinds[MEMORY_ANONYMOUS].huge_bytes, 10000);

    cr_assert_eq(process_maps_at(&maps, 0), 0);
    cr_assert_eq(process_maps_at(&maps, 0x11fff), 0);
    cr_assert_eq(process_maps_at(&maps, 0x12000), 1);
    cr_assert_eq(process_maps_at(&maps, UINT64_MAX), 1000);

    process_maps_set_kind(&maps, &maps.maps[3], MEMORY_THREAD_STACKS);
    cr_assert_eq(maps.kinds[MEMORY_THREAD_STACKS].mappings, 1);
    cr_assert_eq(maps.kinds[MEMORY_THREAD_STACKS].size_bytes, 0x2000);
    cr_assert_eq(maps.kinds[MEMORY_ANONYMOUS].rss_bytes, 999 * 4096);
    cr_assert_eq(maps.total.rss_bytes, 1000 * 4096 + 1);
    process_maps_free(&maps);
    cr_assert_eq(maps.count, 0);
}
