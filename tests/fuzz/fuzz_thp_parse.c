/* Whatever the text: no read beyond it, outputs set on success only, and what comes out
 * is in the text. */
#include "detect/thp_parse.h"
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Not assert: that would vanish in a release build. */
#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);              \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#define UNTOUCHED ((size_t)0x5a5a5a5a)

static void check_choice(const char *text, size_t length)
{
    size_t start = UNTOUCHED;
    size_t word_length = UNTOUCHED;
    enum thp_mode mode = (enum thp_mode)99;
    int result = thp_parse_choice(text, length, &start, &word_length);
    int mode_result = thp_parse_mode(text, length, &mode);
    if (result != 0) {
        REQUIRE(result == -EINVAL && mode_result == -EINVAL);
        REQUIRE(start == UNTOUCHED && word_length == UNTOUCHED && mode == (enum thp_mode)99);
        return;
    }
    REQUIRE(word_length > 0 && start > 0 && start < length && word_length < length - start);
    REQUIRE(text[start - 1] == '[' && text[start + word_length] == ']');
    REQUIRE(memchr(text, '[', length) == text + start - 1);
    REQUIRE(memchr(text, ']', length) == text + start + word_length);
    REQUIRE(memchr(text, '\n', length) == text + length - 1);
    /* No shorter text gives an answer: it would be the same one cut short. */
    REQUIRE(thp_parse_choice(text, length - 1, &start, &word_length) == -EINVAL);

    if (mode_result == 0) {
        const char *name = thp_mode_name(mode);
        REQUIRE(mode != THP_MODE_UNKNOWN);
        REQUIRE(strlen(name) == word_length && memcmp(name, text + start, word_length) == 0);
    } else {
        REQUIRE(mode_result == -EINVAL && mode == (enum thp_mode)99);
    }
}

static void check_number(const char *text, size_t length)
{
    size_t number = UNTOUCHED;
    int result = thp_parse_number(text, length, &number);
    if (result != 0) {
        REQUIRE((result == -EINVAL || result == -ERANGE) && number == UNTOUCHED);
        return;
    }
    /* The C library reads the same. */
    char *copy = strndup(text, length);
    REQUIRE(copy != NULL);
    char *end;
    errno = 0;
    REQUIRE(strtoull(copy, &end, 10) == number && errno == 0);
    REQUIRE(end == copy + length - 1 && *end == '\n');
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_choice((const char *)data, size);
    check_number((const char *)data, size);
    return 0;
}
