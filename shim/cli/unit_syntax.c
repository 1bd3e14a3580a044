#include "shim/cli/unit_syntax.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\r"

/* One logical line: what continues after a backslash is joined by a blank, and comments in
 * between are left out, as systemd does. */
struct reader {
    const char *rest;
    unsigned line; /* of rest */
    char *buffer;  /* as large as the text */
};

static bool is_comment(const char *start)
{
    return *start == '#' || *start == ';';
}

/* Where the logical line began; 0: there is none left. */
static unsigned next_line(struct reader *reader)
{
    size_t length = 0;
    unsigned first = 0;
    while (*reader->rest != '\0') {
        size_t size = strcspn(reader->rest, "\n");
        const char *start = reader->rest + strspn(reader->rest, BLANKS);
        const char *end = reader->rest + size;
        reader->rest = *end == '\n' ? end + 1 : end;
        reader->line++;
        if (start < end && is_comment(start)) {
            continue; /* within a continued line, too */
        }
        first = first == 0 ? reader->line : first;
        bool goes_on = end > start && end[-1] == '\\';
        size_t part = start < end ? (size_t)(end - start) - goes_on : 0;
        memcpy(reader->buffer + length, start, part);
        length += part;
        if (!goes_on) {
            break;
        }
        reader->buffer[length++] = ' ';
    }
    reader->buffer[length] = '\0';
    return first;
}

/* Cuts off blanks on both sides. */
static char *trim(char *text)
{
    text += strspn(text, BLANKS);
    size_t length = strlen(text);
    while (length > 0 && strchr(BLANKS, text[length - 1]) != NULL) {
        text[--length] = '\0';
    }
    return text;
}

int unit_syntax_parse(const char *text, unit_assignment_taker *take, void *context)
{
    struct reader reader = {text, 0, malloc(strlen(text) + 2)};
    char section[64] = "";
    unsigned line;
    int result = reader.buffer == NULL ? -ENOMEM : 0;
    while (result == 0 && (line = next_line(&reader)) != 0) {
        char *start = trim(reader.buffer);
        char *equals = strchr(start, '=');
        size_t length = strlen(start);
        if (start[0] == '[' && start[length - 1] == ']') {
            start[length - 1] = '\0';
            section[0] = '\0';
            if (length - 1 < sizeof(section)) {
                memcpy(section, start + 1, length - 1);
            }
        } else if (equals != NULL) {
            *equals = '\0';
            struct unit_assignment assignment = {section, trim(start), trim(equals + 1), line};
            result = take(&assignment, context);
        }
    }
    free(reader.buffer);
    return result;
}

/* The byte that an escape stands for, with *ret_length how much of the text it is; -1: it is
 * none, and the backslash stands for itself. */
static int unescape(const char *text, size_t *ret_length)
{
    static const char names[] = "abfnrtvs\\\"'", bytes[] = "\a\b\f\n\r\t\v \\\"'";
    const char *name = text[0] != '\0' ? strchr(names, text[0]) : NULL;
    int base = text[0] == 'x' ? 16 : 8;
    size_t digits = base == 16 ? 2 : 3, start = base == 16 ? 1 : 0;
    char number[4] = "", *end;
    if (name != NULL) {
        *ret_length = 1;
        return (unsigned char)bytes[name - names];
    }
    for (size_t i = 0; i < digits && text[start + i] != '\0'; i++) {
        number[i] = text[start + i];
    }
    long value = strtol(number, &end, base);
    if (strlen(number) != digits || *end != '\0' || value <= 0 || value > 255 ||
        strspn(number, "0123456789abcdefABCDEF") != digits) {
        return -1;
    }
    *ret_length = start + digits;
    return (int)value;
}

int unit_syntax_word(const char **rest, char *ret_word, size_t size)
{
    const char *text = *rest + strspn(*rest, BLANKS);
    size_t length = 0;
    char quote = '\0';
    if (*text == '\0') {
        *rest = text;
        return 0;
    }
    for (; *text != '\0' && (quote != '\0' || strchr(BLANKS, *text) == NULL); text++) {
        int byte = (unsigned char)*text;
        size_t escaped = 0;
        if (quote == '\0' && (*text == '"' || *text == '\'')) {
            quote = *text;
            continue;
        }
        if (*text == quote) {
            quote = '\0';
            continue;
        }
        if (*text == '\\') {
            int meant = unescape(text + 1, &escaped);
            byte = meant >= 0 ? meant : byte;
            escaped = meant >= 0 ? escaped : 0;
        }
        if (length + 1 >= size) {
            return -ENOBUFS;
        }
        ret_word[length++] = (char)byte;
        text += escaped;
    }
    ret_word[length] = '\0';
    *rest = text;
    return quote != '\0' ? -EINVAL : 1;
}

int unit_syntax_quote(const char *word, char *ret_text, size_t size)
{
    bool quoted = word[0] == '\0' || word[strcspn(word, " '\"\\")] != '\0';
    size_t length = 0;
    if (size < 3) {
        return -ENOBUFS;
    }
    if (quoted) {
        ret_text[length++] = '"';
    }
    for (; *word != '\0'; word++) {
        if ((unsigned char)*word < ' ' || *word == 0x7f) {
            return -EINVAL;
        }
        if (length + 4 > size) {
            return -ENOBUFS;
        }
        if (*word == '"' || *word == '\\') {
            ret_text[length++] = '\\';
        }
        ret_text[length++] = *word;
    }
    if (quoted) {
        ret_text[length++] = '"';
    }
    ret_text[length] = '\0';
    return 0;
}
