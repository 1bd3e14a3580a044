#include "detect/process_bounds.h"
#include "detect/process_memory.h"
#include "detect/units.h"

#include <string.h>

#define WORDS_MAX (DESCRIPTOR_BYTES_MAX / sizeof(uint64_t))
#define SAMPLES   16
/* What lies above a descriptor in its stack: itself, and static TLS on some machines. */
#define ABOVE_MAX ((uint64_t)64 * MIB)

bool process_bounds_fit(const uint64_t words[DESCRIPTOR_BOUND_WORDS], uint64_t descriptor,
                        uint64_t *ret_guard_bytes)
{
    const uint64_t page = 4096; /* of all pages the smallest */
    uint64_t base = words[0], size = words[1], end;
    if (base == 0 || size == 0 || __builtin_add_overflow(base, size, &end) || descriptor <= base ||
        descriptor >= end || end - descriptor > ABOVE_MAX) {
        return false;
    }
    /* glibc 2.42 tells in between how the guard was made: a small number. */
    uint64_t guard = words[2] % page == 0 ? words[2] : words[3];
    if (guard % page != 0 || guard >= size) {
        return false;
    }
    *ret_guard_bytes = guard;
    return true;
}

/* Strikes out the places that do not fit this descriptor. One that no place fits tells
 * nothing: the first thread's has no stack. */
static bool strike_out(const unsigned char *bytes, size_t words, uint64_t descriptor,
                       bool whole_pages, bool *fits)
{
    bool kept[WORDS_MAX] = {false}, any = false;
    for (size_t i = 0; i + DESCRIPTOR_BOUND_WORDS <= words; i++) {
        uint64_t at[DESCRIPTOR_BOUND_WORDS], guard;
        memcpy(at, bytes + i * sizeof(*at), sizeof(at));
        kept[i] = fits[i] && (!whole_pages || at[0] % 4096 == 0) &&
                  process_bounds_fit(at, descriptor, &guard);
        any |= kept[i];
    }
    if (any || whole_pages) {
        memcpy(fits, kept, words * sizeof(*fits));
    }
    return any;
}

/* Looks at some descriptors of a list. Returns how many told something. */
static size_t sample(pid_t pid, const struct glibc_layout *layout, uint64_t head, bool whole_pages,
                     bool *fits)
{
    unsigned char bytes[DESCRIPTOR_BYTES_MAX];
    uint64_t node;
    size_t telling = 0;
    if (head == 0 || process_memory_read(pid, head, &node, sizeof(node)) != 0) {
        return 0;
    }
    for (size_t i = 0; i < SAMPLES && node != head; i++) {
        uint64_t descriptor = node - layout->list_offset;
        if (process_memory_read(pid, descriptor, bytes, layout->descriptor_bytes) != 0) {
            break;
        }
        telling += strike_out(bytes, layout->descriptor_bytes / sizeof(uint64_t), descriptor,
                              whole_pages, fits);
        memcpy(&node, bytes + layout->list_offset, sizeof(node));
    }
    return telling;
}

/* glibc's own stacks are whole pages; a caller may supply any, so those are asked only
 * where there are no others. */
ptrdiff_t process_bounds_find(pid_t pid, const struct glibc_layout *layout)
{
    size_t words = layout->descriptor_bytes / sizeof(uint64_t), found = 0;
    ptrdiff_t offset = -1;
    bool fits[WORDS_MAX];
    memset(fits, true, sizeof(fits));
    if (sample(pid, layout, layout->own_list, true, fits) == 0) {
        memset(fits, true, sizeof(fits));
        if (sample(pid, layout, layout->callers_list, false, fits) == 0) {
            return -1;
        }
    }
    for (size_t i = 0; i + DESCRIPTOR_BOUND_WORDS <= words; i++) {
        if (fits[i]) {
            offset = (ptrdiff_t)(i * sizeof(uint64_t));
            found++;
        }
    }
    return found == 1 ? offset : -1;
}
