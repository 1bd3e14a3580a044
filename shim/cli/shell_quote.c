#include "shim/cli/shell_quote.h"

#include <string.h>

void shell_quote(FILE *stream, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_@%+:,./-";
    if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
        (void)fputs(word, stream);
        return;
    }
    (void)fputc('\'', stream);
    for (; *word != '\0'; word++) {
        if (*word == '\'') {
            (void)fputs("'\\''", stream);
        } else {
            (void)fputc(*word, stream);
        }
    }
    (void)fputc('\'', stream);
}
