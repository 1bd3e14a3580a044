/* A shared library in another process: where it lies and where its symbols are.
 *
 * Everything is read from the process's memory. Its file may be deleted, replaced by
 * another build, or lie in a file system that we do not see; what is mapped is what
 * runs.
 */
#ifndef THPFIX_SHIM_CLI_REMOTE_LIBRARY_H
#define THPFIX_SHIM_CLI_REMOTE_LIBRARY_H

#include "detect/smaps_parse.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct remote_library {
    uint64_t start; /* where the start of its file is mapped; 0: not loaded */
    uint64_t end;   /* of that mapping */
    uint64_t inode;
    char path[256]; /* as the process sees it, " (deleted)" included; cut where longer */
};

/* Does a path end in this library's file name? Pure. */
typedef bool remote_library_test(const char *path);

/* Looks through the mappings for count libraries; those not found get start 0. Of several
 * that pass one test the first counts. 0 or -errno. */
int remote_library_find(pid_t tid, remote_library_test *const *tests, size_t count,
                        struct remote_library *ret_libraries);

/* The same step by step, beside something else. libraries: are there until the end. */
struct remote_search {
    int fd;
    bool is_empty;
    remote_library_test *const *tests;
    size_t count;
    struct remote_library *libraries;
    struct smaps_parser parser;
};

int remote_search_begin(pid_t tid, remote_library_test *const *tests, size_t count,
                        struct remote_library *ret_libraries, struct remote_search *ret_search);
/* 0: there is more; 1: it is done; -errno. */
int remote_search_on(struct remote_search *search);
void remote_search_end(struct remote_search *search);

/* The same by hand, mapping for mapping; libraries starts as zeros. Pure. */
void remote_library_look(const struct smaps_mapping *mapping, remote_library_test *const *tests,
                         size_t count, struct remote_library *libraries);

/* The symbol tables of a loaded library. */
struct remote_symbols {
    pid_t pid;
    bool is_64;
    uint64_t bias; /* what is added to the addresses of the file */
    uint64_t symbols, strings, gnu_hash, hash;
};

/* 0; -ENOEXEC where what lies there is no ELF library or has no dynamic symbols; -errno
 * of the read. */
int remote_symbols_open(pid_t pid, const struct remote_library *library,
                        struct remote_symbols *ret_symbols);

/* Looks up a symbol that the library defines. 0; -ENOENT; -errno of the read. */
int remote_symbols_find(const struct remote_symbols *symbols, const char *name,
                        uint64_t *ret_address);

#endif
