#include "tests/e2e/behaviour/memory.h"

#include "tests/e2e/behaviour/check.h"
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

size_t memory_page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static void read_statm(size_t *ret_total, size_t *ret_resident)
{
    FILE *file = fopen("/proc/self/statm", "re");
    CHECK(file != NULL);
    CHECK_EQUAL(fscanf(file, "%zu %zu", ret_total, ret_resident), 2);
    fclose(file);
}

size_t memory_resident_bytes(void)
{
    size_t total, resident;
    read_statm(&total, &resident);
    return resident * memory_page_bytes();
}

size_t memory_address_space_bytes(void)
{
    size_t total, resident;
    read_statm(&total, &resident);
    return total * memory_page_bytes();
}

size_t memory_map_entries(void)
{
    FILE *file = fopen("/proc/self/maps", "re");
    CHECK(file != NULL);
    size_t lines = 0;
    for (int c; (c = getc(file)) != EOF;) {
        lines += c == '\n';
    }
    fclose(file);
    return lines;
}

bool memory_mapping_of(const void *address, struct mapping *ret_mapping)
{
    FILE *file = fopen("/proc/self/smaps", "re");
    CHECK(file != NULL);
    bool within = false;
    bool found = false;
    char line[1024];
    while (!found && fgets(line, sizeof(line), file) != NULL) {
        uintptr_t start, end;
        char read, write;
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %c%c", &start, &end, &read, &write) == 4) {
            within = start <= (uintptr_t)address && (uintptr_t)address < end;
            if (within) {
                *ret_mapping = (struct mapping){start, end, read == 'r', write == 'w', false};
            }
        } else if (within && strncmp(line, "VmFlags:", 8) == 0) {
            ret_mapping->no_huge_page = strstr(line, " nh") != NULL;
            found = true;
        }
    }
    fclose(file);
    return found;
}

void live_stack_of_caller(struct live_stack *ret_stack)
{
    pthread_attr_t attr;
    void *low;
    CHECK_OK(pthread_getattr_np(pthread_self(), &attr));
    CHECK_OK(pthread_attr_getstack(&attr, &low, &ret_stack->size_bytes));
    CHECK_OK(pthread_attr_getguardsize(&attr, &ret_stack->guard_bytes));
    CHECK_OK(pthread_attr_destroy(&attr));
    ret_stack->low = low;
}

void live_stack_touch(const struct live_stack *stack)
{
    unsigned char *frame = __builtin_frame_address(0);
    size_t page = memory_page_bytes();
    CHECK(stack->low < frame && frame < stack->low + stack->size_bytes);
    volatile unsigned char *byte = frame;
    /* The page of the frame itself is in use. */
    for (byte -= page; byte >= (volatile unsigned char *)stack->low; byte -= page) {
        *byte = (unsigned char)(*byte + 1);
    }
    *(volatile unsigned char *)stack->low = 1;
    unsigned char seen = 0;
    for (byte = frame; byte < stack->low + stack->size_bytes; byte += page) {
        seen |= *byte;
    }
    seen |= ((volatile unsigned char *)stack->low)[stack->size_bytes - 1];
    (void)seen;
}

__attribute__((noinline)) void stack_fill(size_t bytes, unsigned char value,
                                          void (*between)(void *), void *context)
{
    unsigned char *room = __builtin_alloca(bytes);
    memset(room, value, bytes);
    __asm__ volatile("" : : "r"(room) : "memory");
    if (between != NULL) {
        between(context);
    }
    __asm__ volatile("" : : "r"(room) : "memory");
    for (size_t i = 0; i < bytes; i++) {
        CHECK_EQUAL(room[i], value);
    }
}
