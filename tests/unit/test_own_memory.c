#include "detect/own_memory.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

Test(own_memory, an_array_grows_with_what_is_in_it)
{
    size_t room = 0, before = 0;
    uint32_t *array = NULL;
    for (uint32_t i = 0; i < 100000; i++) {
        if (i == room) {
            before = room;
            array = own_memory_grow(array, &room, 64, sizeof(*array));
            cr_assert_not_null(array);
            cr_assert_eq(room, before != 0 ? 2 * before : 64);
        }
        array[i] = i;
    }
    for (uint32_t i = 0; i < 100000; i++) {
        cr_assert_eq(array[i], i);
    }
    free(array);
}

Test(own_memory, what_is_too_large_leaves_all_as_it_was)
{
    size_t room = SIZE_MAX / 8;
    char array[1] = {7};
    cr_assert_null(own_memory_grow(array, &room, 1, 16));
    cr_assert_eq(room, SIZE_MAX / 8);
    cr_assert_eq(array[0], 7);
    cr_assert_null(own_memory_zeros(SIZE_MAX / 2, 3));
}

Test(own_memory, zeros_that_are_there_already)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = 1 << 20;
    unsigned char resident[(1 << 20) / 4096 + 1];
    /* So that calloc could find used memory. */
    void *used = malloc(bytes);
    cr_assert_not_null(used);
    memset(used, 1, bytes);
    free(used);
    unsigned char *zeros = own_memory_zeros(bytes, 1);
    cr_assert_not_null(zeros);
    for (size_t i = 0; i < bytes; i++) {
        cr_assert_eq(zeros[i], 0);
    }
    uintptr_t first = ((uintptr_t)zeros + page - 1) & ~(page - 1);
    cr_assert_eq(mincore((void *)first, bytes / 2, resident), 0);
    for (size_t i = 0; i < bytes / 2 / page; i++) {
        cr_assert_eq(resident[i] & 1, 1);
    }
    free(zeros);
}

Test(own_memory, ahead_changes_nothing)
{
    size_t bytes = 1 << 20;
    unsigned char *memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(memory, MAP_FAILED);
    memory[5000] = 7;
    errno = 5;
    own_memory_ahead(memory + 1, bytes - 2);
    own_memory_ahead(NULL, bytes); /* not ours: no more than a refusal */
    cr_assert_eq(errno, 5);
    cr_assert_eq(memory[5000], 7);
    cr_assert_eq(memory[0], 0);
    munmap(memory, bytes);
}
