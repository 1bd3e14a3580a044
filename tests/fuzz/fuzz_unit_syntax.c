/* Whatever the text of a unit file: no read beyond it, keys and values lie within lines, and each
 * word can be quoted and read back. */
#include "shim/cli/unit_syntax.h"

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

static void check_words(const char *value)
{
    const char *rest = value;
    char word[256];
    int result;
    while ((result = unit_syntax_word(&rest, word, sizeof(word))) == 1) {
        char quoted[2 * sizeof(word) + 8], again[sizeof(word)];
        const char *text = quoted;
        REQUIRE(rest > value && rest <= value + strlen(value));
        result = unit_syntax_quote(word, quoted, sizeof(quoted));
        if (result == -EINVAL) { /* control characters, by way of an escape */
            continue;
        }
        REQUIRE(result == 0);
        REQUIRE(unit_syntax_word(&text, again, sizeof(again)) == 1);
        REQUIRE(strcmp(word, again) == 0 && *text == '\0');
    }
    REQUIRE(result == 0 || result == -EINVAL || result == -ENOBUFS);
}

static int take(const struct unit_assignment *assignment, void *context)
{
    unsigned *line = context;
    REQUIRE(assignment->line > *line);
    *line = assignment->line;
    REQUIRE(strchr(assignment->key, '=') == NULL && strchr(assignment->key, '\n') == NULL);
    REQUIRE(strchr(assignment->value, '\n') == NULL);
    REQUIRE(strlen(assignment->section) < 64);
    check_words(assignment->value);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned line = 0;
    char *text = malloc(size + 1);
    REQUIRE(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    REQUIRE(unit_syntax_parse(text, take, &line) == 0);
    free(text);
    return 0;
}
