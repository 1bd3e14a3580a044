/* Everything about one start of a program with the library, found out beforehand. */
#ifndef THPFIX_SHIM_CLI_LAUNCH_H
#define THPFIX_SHIM_CLI_LAUNCH_H

#include "shim/cli/elf_file.h"
#include "shim/cli/run_options.h"

#include <limits.h>
#include <stdbool.h>

/* As env(1), nohup(1) and chroot(1) have them. */
#define STATUS_RUN_FAILED     125
#define STATUS_NOT_EXECUTABLE 126
#define STATUS_NOT_FOUND      127

struct launch {
    const struct run_options *options;
    char library[PATH_MAX];
    bool library_read; /* false: only ld.so can tell what its $LIB or $ORIGIN stands for */
    struct elf_file library_file;
    char program[PATH_MAX]; /* the file that the command's name stands for */
    char image[PATH_MAX]; /* the file the kernel will load for it: for a script, its interpreter */
    int image_error;      /* 0: image_file holds; else -errno, and nothing is known of image */
    struct elf_file image_file;
    size_t runtime_count; /* sanitizer runtimes to be put first: paths, or bare names */
    char runtimes[ELF_FILE_RUNTIMES][PATH_MAX];
    char *preload; /* the new LD_PRELOAD */
};

/* 0, or the exit status, the complaint being made already. Nothing is released: what
 * follows is an exec or an exit. */
int launch_prepare(const struct run_options *options, struct launch *ret_launch);

/* One line on stderr for each thing that will keep the library out of the program,
 * which ld.so does in silence. */
void launch_warn(const struct launch *launch);

/* What will happen, and why, on stderr. */
void launch_explain(const struct launch *launch);

/* Complains that exec failed with this errno. Returns the exit status. */
int launch_refused(const struct launch *launch, int error);

#endif
