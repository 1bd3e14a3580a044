#include "shim/range_backing.h"

#include "detect/root_read.h"
#include "tests/unit/fixture_root.h"

#include <criterion/criterion.h>
#include <sys/mman.h>
#include <sys/shm.h>

#define MAPS                                                                                       \
    "00010000-00020000 rw-p 00000000 00:00 0 \n"                                                   \
    "00020000-00030000 rw-s 00000000 00:01 1026      /dev/zero (deleted)\n"                        \
    "00030000-00040000 rw-s 00000000 00:01 5         /memfd:java_heap (deleted)\n"                 \
    "00040000-00050000 rw-s 00000000 00:01 98310     /SYSV00000000 (deleted)\n"                    \
    "00050000-00060000 ---p 00000000 00:00 0         [heap]\n"                                     \
    "00070000-00080000 rw-p 00000000 00:00 0 \n"                                                   \
    "00080000-00090000 rw-p 00000000 fe:01 1234      /var/lib/data/memfd:x\n"                      \
    "00090000-000a0000 rw-p 00000000 00:00 0 \n"

static bool is_memory_in(const char *maps, uintptr_t start, uintptr_t end)
{
    char path[FIXTURE_PATH_BYTES];
    int root = fixture_root_make(path);
    if (maps != NULL) {
        fixture_root_write(root, "proc/thread-self/maps", maps);
    }
    bool result = range_is_memory(root, start, end - start);
    close(root);
    fixture_root_remove(path);
    return result;
}

Test(range_backing, memory_of_every_kind)
{
    cr_assert(is_memory_in(MAPS, 0x10000, 0x60000));
    cr_assert(is_memory_in(MAPS, 0x18000, 0x19000));
    cr_assert(is_memory_in(MAPS, 0x90000, 0xa0000), "the last one");
}

Test(range_backing, holes_and_ends)
{
    cr_assert_not(is_memory_in(MAPS, 0x50000, 0x80000));
    cr_assert_not(is_memory_in(MAPS, 0x60000, 0x70000));
    cr_assert_not(is_memory_in(MAPS, 0x60000, 0x80000));
    cr_assert_not(is_memory_in(MAPS, 0x0, 0x11000));
    cr_assert_not(is_memory_in(MAPS, 0x90000, 0xb0000));
    cr_assert_not(is_memory_in(MAPS, 0xb0000, 0xc0000));
}

Test(range_backing, a_file_is_none)
{
    cr_assert_not(is_memory_in(MAPS, 0x80000, 0x90000));
    cr_assert_not(is_memory_in(MAPS, 0x70000, 0x81000));
    cr_assert_not(is_memory_in(MAPS, 0x8f000, 0xa0000));
}

Test(range_backing, what_cannot_be_told_is_none)
{
    cr_assert_not(is_memory_in(NULL, 0x10000, 0x20000));
    cr_assert_not(is_memory_in("", 0x10000, 0x20000));
    cr_assert_not(is_memory_in("no maps\n", 0x10000, 0x20000));
}

static bool maps_as_memory(void *address, size_t bytes)
{
    cr_assert_neq(address, MAP_FAILED);
    return range_is_memory(ROOT_HOST, (uintptr_t)address, bytes);
}

/* The names are the kernel's. */
Test(range_backing, on_this_machine)
{
    size_t bytes = 1 << 20;
    int both = PROT_READ | PROT_WRITE;
    cr_assert(maps_as_memory(mmap(NULL, bytes, both, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), bytes));
    cr_assert(maps_as_memory(mmap(NULL, bytes, both, MAP_SHARED | MAP_ANONYMOUS, -1, 0), bytes));

    int fd = memfd_create("heap", MFD_CLOEXEC);
    cr_assert(fd >= 0 && ftruncate(fd, (off_t)bytes) == 0);
    cr_assert(maps_as_memory(mmap(NULL, bytes, both, MAP_SHARED, fd, 0), bytes));

    int id = shmget(IPC_PRIVATE, bytes, IPC_CREAT | 0600);
    cr_assert(id >= 0);
    void *segment = shmat(id, NULL, 0);
    shmctl(id, IPC_RMID, NULL);
    cr_assert(maps_as_memory(segment, bytes));

    char path[] = "/tmp/thpfix-range-XXXXXX";
    fd = mkstemp(path);
    cr_assert(fd >= 0 && unlink(path) == 0 && ftruncate(fd, (off_t)bytes) == 0, "%m");
    cr_assert_not(maps_as_memory(mmap(NULL, bytes, both, MAP_SHARED, fd, 0), bytes));
    cr_assert_not(maps_as_memory(mmap(NULL, bytes, both, MAP_PRIVATE, fd, 0), bytes));
}
