#include "shim/cli/prometheus.h"

#include <stdbool.h>
#include <stddef.h>

void prometheus_metric(FILE *stream, const char *name, const char *type, const char *help)
{
    (void)fprintf(stream, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* How many bytes the lead byte of a UTF-8 sequence announces; 0: it is none. */
static size_t announced(unsigned char lead)
{
    if (lead < 0x80) {
        return 1;
    }
    if (lead >= 0xc2 && lead <= 0xdf) {
        return 2;
    }
    if (lead >= 0xe0 && lead <= 0xef) {
        return 3;
    }
    return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

static size_t utf8_length(const unsigned char *text)
{
    size_t length = announced(text[0]);
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    /* Overlong forms, surrogates, beyond U+10FFFF. */
    bool bad = (text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] > 0x9f) ||
               (text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] > 0x8f);
    return bad ? 0 : length;
}

static void write_value(FILE *stream, const char *value)
{
    for (const unsigned char *at = (const unsigned char *)value; *at != '\0';) {
        size_t length = utf8_length(at);
        if (*at == '\\' || *at == '"') {
            (void)fprintf(stream, "\\%c", *at);
        } else if (*at == '\n') {
            (void)fputs("\\n", stream);
        } else if (length == 0) {
            (void)fputc('?', stream);
        } else {
            (void)fwrite(at, 1, length, stream);
        }
        at += length != 0 ? length : 1;
    }
}

void prometheus_sample(FILE *stream, const char *name, const struct prometheus_label *labels,
                       uint64_t value)
{
    (void)fputs(name, stream);
    for (size_t i = 0; labels != NULL && labels[i].name != NULL; i++) {
        (void)fprintf(stream, "%c%s=\"", i == 0 ? '{' : ',', labels[i].name);
        write_value(stream, labels[i].value);
        (void)fputc('"', stream);
    }
    if (labels != NULL && labels[0].name != NULL) {
        (void)fputc('}', stream);
    }
    (void)fprintf(stream, " %llu\n", (unsigned long long)value);
}
