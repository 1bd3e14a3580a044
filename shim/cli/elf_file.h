/* What an ELF file says that decides whether a preloaded library can work in it. */
#ifndef THPFIX_SHIM_CLI_ELF_FILE_H
#define THPFIX_SHIM_CLI_ELF_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#define ELF_FILE_RUNTIMES 4

struct elf_file {
    unsigned bits;         /* 32 or 64 */
    unsigned machine;      /* EM_… */
    bool shared;           /* ET_DYN: a library, or a position-independent program */
    bool dynamic;          /* has a dynamic section */
    bool named;            /* has DT_SONAME: a library, the dynamic loader itself */
    char loader[PATH_MAX]; /* PT_INTERP; "" none */
    size_t runtime_count;  /* sanitizer runtimes in DT_NEEDED, in its order */
    char runtimes[ELF_FILE_RUNTIMES][64];
};

/* 0; -ENOEXEC when the file is no ELF file or a broken one; -errno. Works from the
 * program headers: section headers may have been stripped. */
int elf_file_read(const char *path, struct elf_file *ret_file);

/* The sanitizer that is linked into a program, so that its runtime is no library:
 * "address", or NULL where none was found. Reads the symbol tables, which may be large. */
const char *elf_file_built_in_sanitizer(const char *path);

#endif
