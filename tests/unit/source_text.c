#include "tests/unit/source_text.h"
#include <criterion/criterion.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

static void blank_comments(char *text)
{
    char quote = '\0';
    for (char *at = text; *at != '\0'; at++) {
        if (quote != '\0') {
            if (*at == '\\' && at[1] != '\0') {
                at++;
            } else if (*at == quote) {
                quote = '\0';
            }
        } else if (*at == '"' || *at == '\'') {
            quote = *at;
        } else if (at[0] == '/' && at[1] == '/') {
            for (; at[1] != '\0' && at[1] != '\n'; at++) {
                *at = ' ';
            }
            *at = ' ';
        } else if (at[0] == '/' && at[1] == '*') {
            const char *end = strstr(at + 2, "*/");
            cr_assert(end != NULL, "a comment without an end");
            for (; at < end + 2; at++) {
                *at = *at == '\n' ? '\n' : ' ';
            }
            at--;
        }
    }
}

char *source_read_without_comments(const char *path)
{
    FILE *file = fopen(path, "re");
    cr_assert(file != NULL, "%s: %m", path);
    cr_assert(fseek(file, 0, SEEK_END) == 0);
    long size = ftell(file);
    cr_assert(size >= 0);
    rewind(file);
    char *text = calloc(1, (size_t)size + 1);
    cr_assert(text != NULL);
    cr_assert_eq(fread(text, 1, (size_t)size, file), (size_t)size, "%s", path);
    fclose(file);
    blank_comments(text);
    return text;
}

bool source_names_kernel_path(const char *code)
{
    static const char *const starts[] = {"\"/proc", "\"/sys"};
    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
        for (const char *at = code; (at = strstr(at, starts[i])) != NULL; at++) {
            char next = at[strlen(starts[i])];
            if (next == '/' || next == '"') {
                return true;
            }
        }
    }
    return false;
}

static bool is_identifier_byte(char byte)
{
    return isalnum((unsigned char)byte) || byte == '_';
}

static bool is_open(const char *name, size_t length)
{
    static const char *const names[] = {
        "open",    "open64",  "openat",  "openat64", "openat2",    "creat",       "fopen",
        "fopen64", "freopen", "opendir", "SYS_open", "SYS_openat", "SYS_openat2",
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0) {
            return true;
        }
    }
    return false;
}

bool source_calls_open(const char *code)
{
    const char *at = code;
    while (*at != '\0') {
        if (!is_identifier_byte(*at)) {
            at++;
            continue;
        }
        const char *name = at;
        while (is_identifier_byte(*at)) {
            at++;
        }
        bool member = (name > code && name[-1] == '.') ||
                      (name > code + 1 && name[-2] == '-' && name[-1] == '>');
        bool called = at[strspn(at, " ")] == '(' || strncmp(name, "SYS_", 4) == 0;
        if (!member && called && is_open(name, (size_t)(at - name))) {
            return true;
        }
    }
    return false;
}
