#include "shim/cli/text_size.h"

#include <stdio.h>

void text_size(uint64_t bytes, char ret_text[TEXT_SIZE_BYTES])
{
    static const char units[] = "BKMGTPE";
    unsigned unit = 0;
    uint64_t tenths = 0; /* of the unit, beyond the whole */
    while (bytes >= 1024 && units[unit + 1] != '\0') {
        tenths = bytes % 1024 * 10 / 1024;
        bytes /= 1024;
        unit++;
    }
    /* Beyond two digits a decimal is no use to anybody. */
    if (unit == 0) {
        (void)snprintf(ret_text, TEXT_SIZE_BYTES, "%llu", (unsigned long long)bytes);
    } else if (tenths != 0 && bytes < 100) {
        (void)snprintf(ret_text, TEXT_SIZE_BYTES, "%llu.%llu%c", (unsigned long long)bytes,
                       (unsigned long long)tenths, units[unit]);
    } else {
        (void)snprintf(ret_text, TEXT_SIZE_BYTES, "%llu%c", (unsigned long long)bytes, units[unit]);
    }
}
