/* Bytes for people: "4K", "2M", "1.5G". Pure. */
#ifndef THPFIX_SHIM_CLI_TEXT_SIZE_H
#define THPFIX_SHIM_CLI_TEXT_SIZE_H

#include <stdint.h>

#define TEXT_SIZE_BYTES 24

/* At most one decimal, and that only where it says something. Powers of 1024. */
void text_size(uint64_t bytes, char ret_text[TEXT_SIZE_BYTES]);

#endif
