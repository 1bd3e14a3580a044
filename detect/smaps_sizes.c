#include "detect/smaps_sizes.h"
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The name with its colon and blanks is 16 bytes, the number 8, and " kB" follows. Larger
 * numbers make longer lines. */
#define LINE_BYTES   ((size_t)28)
#define ENDING_BYTES 4

/* Is one of the eight bytes a newline? (Zero bytes of a word are found so; here those that
 * become zero.) */
static bool holds_newline(const char *text)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
    uint64_t word;
    memcpy(&word, text, sizeof(word));
    word ^= ones * '\n';
    return ((word - ones) & ~word & tops) != 0;
}

/* Inline for the sake of speed, as is memcmp of four bytes. */
static inline bool begins(const char *text, const char name[4])
{
    return memcmp(text, name, 4) == 0;
}

size_t smaps_sizes_parse(const char *text, size_t length, struct smaps_mapping *mapping)
{
    size_t at = 0;
    for (; length - at >= LINE_BYTES; at += LINE_BYTES) {
        const char *line = text + at;
        /* A header begins with a digit or a small letter, and what does with T or V
         * ("THPeligible:", "VmFlags:") is no size, whatever its ending. */
        if (line[0] < 'A' || line[0] > 'Z' || line[0] == 'T' || line[0] == 'V' ||
            memcmp(line + LINE_BYTES - ENDING_BYTES, " kB\n", ENDING_BYTES) != 0 ||
            holds_newline(line) || holds_newline(line + 8) || holds_newline(line + 16)) {
            break;
        }
        if (begins(line, "Rss:") || begins(line, "Anon") || begins(line, "Swap")) {
            smaps_line_parse_field(line, LINE_BYTES - 1, mapping);
        }
    }
    return at;
}
