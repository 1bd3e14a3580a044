#include "detect/thp_parse.h"
#include <errno.h>
#include <stdint.h>
#include <string.h>

/* Words are what kernels have printed so far, and what they may print yet
 * ("defer+madvise", "within_size"): printable, without brackets. */
static bool is_word_byte(char byte)
{
    return byte > ' ' && byte <= '~' && byte != '[' && byte != ']';
}

int thp_parse_choice(const char *text, size_t length, size_t *ret_start, size_t *ret_length)
{
    if (length == 0 || text[length - 1] != '\n') {
        return -EINVAL;
    }
    size_t end = length - 1;
    size_t choice_start = 0;
    size_t choice_length = 0; /* 0: none yet; a word has at least one byte */

    for (size_t i = 0; i < end;) {
        if (text[i] == ' ') {
            i++;
            continue;
        }
        bool bracketed = text[i] == '[';
        size_t start = i + (bracketed ? 1 : 0);
        size_t stop = start;
        while (stop < end && is_word_byte(text[stop])) {
            stop++;
        }
        if (stop == start) {
            return -EINVAL;
        }
        i = stop;
        if (bracketed) {
            if (choice_length != 0 || i == end || text[i] != ']') {
                return -EINVAL;
            }
            choice_start = start;
            choice_length = stop - start;
            i++;
        }
        if (i < end && text[i] != ' ') {
            return -EINVAL;
        }
    }
    if (choice_length == 0) {
        return -EINVAL;
    }
    *ret_start = choice_start;
    *ret_length = choice_length;
    return 0;
}

static const char *const mode_names[] = {
    [THP_MODE_UNKNOWN] = "unknown", [THP_MODE_ALWAYS] = "always",   [THP_MODE_MADVISE] = "madvise",
    [THP_MODE_NEVER] = "never",     [THP_MODE_INHERIT] = "inherit",
};
static const size_t mode_count = sizeof(mode_names) / sizeof(mode_names[0]);

int thp_parse_mode(const char *text, size_t length, enum thp_mode *ret_mode)
{
    size_t start;
    size_t word_length;
    int error = thp_parse_choice(text, length, &start, &word_length);
    if (error != 0) {
        return error;
    }
    for (size_t mode = THP_MODE_UNKNOWN + 1; mode < mode_count; mode++) {
        if (strlen(mode_names[mode]) == word_length &&
            memcmp(mode_names[mode], text + start, word_length) == 0) {
            *ret_mode = (enum thp_mode)mode;
            return 0;
        }
    }
    return -EINVAL;
}

int thp_parse_number(const char *text, size_t length, size_t *ret_number)
{
    if (length < 2 || text[length - 1] != '\n') {
        return -EINVAL;
    }
    size_t number = 0;
    bool overflow = false;
    for (size_t i = 0; i < length - 1; i++) {
        if (text[i] < '0' || text[i] > '9') {
            return -EINVAL;
        }
        overflow |= __builtin_mul_overflow(number, (size_t)10, &number);
        overflow |= __builtin_add_overflow(number, (size_t)(text[i] - '0'), &number);
    }
    if (overflow) {
        return -ERANGE;
    }
    *ret_number = number;
    return 0;
}

const char *thp_mode_name(enum thp_mode mode)
{
    return (size_t)mode < mode_count ? mode_names[mode] : mode_names[THP_MODE_UNKNOWN];
}
