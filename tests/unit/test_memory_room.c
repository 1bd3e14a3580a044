#include "shim/memory_room.h"

#include "detect/root_read.h"
#include "detect/units.h"
#include "tests/unit/fixture_root.h"

#include <criterion/criterion.h>
#include <string.h>

#define MEMINFO                                                                                    \
    "MemTotal:       16777216 kB\nMemFree:         1000000 kB\nMemAvailable:    8388608 kB\n"

struct file {
    const char *path, *text;
};

static bool room_of(const struct file *files, size_t *ret_room)
{
    char path[FIXTURE_PATH_BYTES];
    int root = fixture_root_make(path);
    for (; files->path != NULL; files++) {
        fixture_root_write(root, files->path, files->text);
    }
    bool known = memory_room(root, ret_room);
    close(root);
    fixture_root_remove(path);
    return known;
}

static void expect(const struct file *files, size_t expected)
{
    size_t room = 77;
    cr_assert(room_of(files, &room), "expected %zu", expected);
    cr_assert_eq(room, expected, "got %zu, expected %zu", room, expected);
}

static const size_t machine_room = 7 * 1024 * MIB; /* 8 GiB, less a sixteenth of 16 */

Test(memory_room, the_machine_alone)
{
    expect((struct file[]){{"proc/meminfo", MEMINFO}, {0}}, machine_room);
    expect((struct file[]){{"proc/meminfo", MEMINFO}, {"proc/self/cgroup", "0::/\n"}, {0}},
           machine_room);
}

Test(memory_room, nothing_to_read_is_unknown)
{
    size_t room = 77;
    cr_assert_not(room_of((struct file[]){{0}}, &room));
    cr_assert_not(room_of((struct file[]){{"proc/meminfo", ""}, {0}}, &room));
    /* Before Linux 3.14 there is no MemAvailable. */
    cr_assert_not(room_of((struct file[]){{"proc/meminfo", "MemTotal:  1024 kB\nMemFree: 1 kB\n"},
                                          {"proc/self/cgroup", "garbage\n::\n0:\n\n"},
                                          {0}},
                          &room));
    cr_assert_eq(room, 77);
}

Test(memory_room, a_machine_with_less_than_the_reserve_has_none)
{
    expect((struct file[]){{"proc/meminfo", "MemTotal: 16000 kB\nMemAvailable: 999 kB\n"}, {0}}, 0);
}

Test(memory_room, version_2_less_what_the_kernel_can_drop)
{
    expect(
        (struct file[]){
            {"proc/meminfo", MEMINFO},
            {"proc/self/cgroup", "0::/system.slice/db.service\n"},
            {"sys/fs/cgroup/system.slice/db.service/memory.max", "1073741824\n"},
            {"sys/fs/cgroup/system.slice/db.service/memory.high", "max\n"},
            {"sys/fs/cgroup/system.slice/db.service/memory.current", "536870912\n"},
            {"sys/fs/cgroup/system.slice/db.service/memory.stat",
             "anon 1\nfile 2\nactive_inactive_file 7\ninactive_file 104857600\nslab 3\n"},
            {0}},
        (1024 - 64 - 512 + 100) * MIB);
}

Test(memory_room, the_tightest_level_counts)
{
    struct file files[] = {
        {"proc/meminfo", MEMINFO},
        {"proc/self/cgroup", "0::/a/b\n"},
        {"sys/fs/cgroup/a/memory.max", "1073741824\n"},
        {"sys/fs/cgroup/a/memory.current", "1006632960\n"}, /* less the reserve: nothing left */
        {"sys/fs/cgroup/a/b/memory.max", "536870912\n"},
        {"sys/fs/cgroup/a/b/memory.current", "0\n"},
        {0},
    };
    expect(files, 0);
    files[2].text = "max\n";
    expect(files, (512 - 32) * MIB);
    files[4].text = "max\n";
    expect(files, machine_room);
    files[4].text = "no number\n";
    expect(files, machine_room);
}

Test(memory_room, memory_high_is_a_limit)
{
    expect((struct file[]){{"proc/meminfo", MEMINFO},
                           {"proc/self/cgroup", "0::/a\n"},
                           {"sys/fs/cgroup/a/memory.max", "max\n"},
                           {"sys/fs/cgroup/a/memory.high", "268435456\n"},
                           {"sys/fs/cgroup/a/memory.current", "0\n"},
                           {0}},
           (256 - 16) * MIB);
}

Test(memory_room, a_container_sees_its_own_limit_at_the_mount)
{
    expect((struct file[]){{"proc/meminfo", MEMINFO},
                           {"proc/self/cgroup", "5:memory:/docker/0123456789abcdef\n0::/x\n"},
                           {"sys/fs/cgroup/memory/memory.limit_in_bytes", "268435456\n"},
                           {"sys/fs/cgroup/memory/memory.usage_in_bytes", "16777216\n"},
                           {0}},
           (256 - 16 - 16) * MIB);
}

Test(memory_room, version_1_wins_where_it_has_the_memory_controller)
{
    struct file files[] = {
        {"proc/meminfo", MEMINFO},
        {"proc/self/cgroup", "0::/user.slice\n9:cpu,cpuacct:/\n4:memory:/job\n3:pids:/job\n"},
        {"sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"},
        {"sys/fs/cgroup/memory/memory.usage_in_bytes", "1\n"},
        {"sys/fs/cgroup/memory/job/memory.limit_in_bytes", "536870912\n"},
        {"sys/fs/cgroup/memory/job/memory.usage_in_bytes", "134217728\n"},
        {"sys/fs/cgroup/memory/job/memory.stat",
         "inactive_file 1\ntotal_cache 5\ntotal_inactive_file 67108864\n"},
        {"sys/fs/cgroup/user.slice/memory.max", "1\n"},
        {0},
    };
    expect(files, (512 - 32 - 128 + 64) * MIB);
}

Test(memory_room, a_path_too_long_is_left_out)
{
    static char line[3000];
    memset(line, 'x', sizeof(line) - 2);
    memcpy(line, "0::/", 4);
    line[sizeof(line) - 2] = '\n';
    expect((struct file[]){{"proc/meminfo", MEMINFO},
                           {"proc/self/cgroup", line},
                           {"sys/fs/cgroup/memory.max", "1\n"},
                           {"sys/fs/cgroup/memory.current", "1\n"},
                           {0}},
           machine_room);
}

Test(memory_room, this_machine_has_some)
{
    size_t room;
    cr_assert(memory_room(ROOT_HOST, &room));
    cr_assert_gt(room, 0);
}
