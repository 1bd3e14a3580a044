#include "shim/cli/json_write.h"

#include <stddef.h>

/* The length of the UTF-8 sequence at text, or 0 where there is none. */
static size_t utf8_length(const unsigned char *text)
{
    static const struct {
        unsigned char mask, lead;
        size_t length;
    } forms[] = {
        {0x80, 0x00, 1},
        {0xe0, 0xc0, 2},
        {0xf0, 0xe0, 3},
        {0xf8, 0xf0, 4},
    };
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        if ((text[0] & forms[i].mask) != forms[i].lead) {
            continue;
        }
        for (size_t j = 1; j < forms[i].length; j++) {
            if ((text[j] & 0xc0) != 0x80) {
                return 0;
            }
        }
        /* Overlong forms, surrogates, beyond U+10FFFF. */
        bool bad = text[0] == 0xc0 || text[0] == 0xc1 || text[0] > 0xf4 ||
                   (text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] > 0x9f) ||
                   (text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] > 0x8f);
        return bad ? 0 : forms[i].length;
    }
    return 0;
}

static void write_quoted(FILE *stream, const char *value)
{
    (void)fputc('"', stream);
    for (const unsigned char *p = (const unsigned char *)value; *p != '\0';) {
        size_t length = utf8_length(p);
        if (length == 0) {
            (void)fputs("\\ufffd", stream);
            length = 1;
        } else if (*p == '"' || *p == '\\') {
            (void)fprintf(stream, "\\%c", *p);
        } else if (*p < ' ') {
            (void)fprintf(stream, "\\u%04x", *p);
        } else {
            (void)fwrite(p, 1, length, stream);
        }
        p += length;
    }
    (void)fputc('"', stream);
}

static void begin_value(struct json_writer *json, const char *name)
{
    if (json->depth > 0) {
        (void)fprintf(json->stream, "%s\n%*s", json->follows ? "," : "", (int)(json->depth * 2),
                      "");
    }
    if (name != NULL) {
        write_quoted(json->stream, name);
        (void)fputs(": ", json->stream);
    }
    json->follows = true;
}

void json_open(struct json_writer *json, const char *name, char bracket)
{
    begin_value(json, name);
    (void)fputc(bracket, json->stream);
    json->depth++;
    json->follows = false;
}

void json_close(struct json_writer *json, char bracket)
{
    json->depth--;
    if (json->follows) {
        (void)fprintf(json->stream, "\n%*s", (int)(json->depth * 2), "");
    }
    (void)fputc(bracket, json->stream);
    json->follows = true;
    if (json->depth == 0) {
        (void)fputc('\n', json->stream);
    }
}

void json_string(struct json_writer *json, const char *name, const char *value)
{
    if (value == NULL) {
        json_null(json, name);
        return;
    }
    begin_value(json, name);
    write_quoted(json->stream, value);
}

void json_number(struct json_writer *json, const char *name, long long value)
{
    begin_value(json, name);
    (void)fprintf(json->stream, "%lld", value);
}

void json_bool(struct json_writer *json, const char *name, bool value)
{
    begin_value(json, name);
    (void)fputs(value ? "true" : "false", json->stream);
}

void json_null(struct json_writer *json, const char *name)
{
    begin_value(json, name);
    (void)fputs("null", json->stream);
}
