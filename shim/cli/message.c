#include "shim/cli/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

void message(const char *command, const char *format, ...)
{
    char line[8192]; /* two of the longest paths; what is longer is cut */
    int prefix = command != NULL ? snprintf(line, sizeof(line), "thpfix %s: ", command)
                                 : snprintf(line, sizeof(line), "thpfix: ");
    size_t room = sizeof(line) - (size_t)prefix - 1;
    va_list arguments;
    va_start(arguments, format);
    int text = vsnprintf(line + prefix, room, format, arguments);
    va_end(arguments);
    if (text < 0) {
        return;
    }
    size_t length = (size_t)prefix + ((size_t)text < room ? (size_t)text : room - 1);
    for (size_t i = 0; i < length; i++) {
        if ((unsigned char)line[i] < ' ' || line[i] == 0x7f) {
            line[i] = '?';
        }
    }
    line[length++] = '\n';
    if (write(STDERR_FILENO, line, length) < 0) {
        return; /* nobody is left to be told */
    }
}
