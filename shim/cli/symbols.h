/* What stands at an address of another process: in words, as far as they can be had. */
#ifndef THPFIX_SHIM_CLI_SYMBOLS_H
#define THPFIX_SHIM_CLI_SYMBOLS_H

#include <stdint.h>
#include <sys/types.h>

struct symbol {
    char module[256]; /* path of the file that is mapped there; "": none, as of a JIT */
    uint64_t module_offset;
    char function[1024]; /* as the linker knows it; "": unknown; long in C++ */
    uint64_t function_offset;
    char source[256]; /* "": no debugging information */
    int line;
};

struct symbols;

/* NULL where the process has ended or cannot be read, or without memory. To be closed. */
struct symbols *symbols_open(pid_t tid);
void symbols_close(struct symbols *symbols);

/* Of a return address: the source line is that of the call before it. */
void symbols_find(struct symbols *symbols, uint64_t address, struct symbol *ret_symbol);

#endif
