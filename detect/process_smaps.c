#include "detect/process_smaps.h"
#include "detect/root_read.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The kernel hands out less than a page at a time, which ends anywhere in a line: several
 * such pieces together leave fewer lines in two, and stay in the fastest cache. */
#define BUFFER_BYTES ((size_t)32 * 1024)
#define PIECE_BYTES  ((size_t)4096)

/* Fills the buffer as far as the kernel's pieces do. *ret_length 0: the end. 0 or -errno. */
static int fill(int fd, char *buffer, size_t *ret_length)
{
    size_t length = 0;
    while (BUFFER_BYTES - length >= PIECE_BYTES) {
        ssize_t got = root_read_some(fd, buffer + length, BUFFER_BYTES - length);
        if (got < 0) {
            return (int)got;
        }
        if (got == 0) {
            break;
        }
        length += (size_t)got;
    }
    *ret_length = length;
    return 0;
}

static int read_all(int fd, smaps_callback *callback, void *context)
{
    char buffer[BUFFER_BYTES];
    struct smaps_parser parser;
    bool is_empty = true;
    smaps_parser_begin(&parser);
    for (;;) {
        size_t length = 0;
        int result = fill(fd, buffer, &length);
        if (result != 0) {
            return result;
        }
        if (length == 0) {
            /* What has no memory any more has an empty list. */
            return is_empty ? -ESRCH : smaps_parser_end(&parser, callback, context);
        }
        is_empty = false;
        result = smaps_parser_feed(&parser, buffer, length, callback, context);
        if (result != 0) {
            return result;
        }
    }
}

static int read_file(int root, pid_t tid, const char *name, smaps_callback *callback, void *context)
{
    char path[64];
    (void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)tid, name);
    int fd = root_open(root, path);
    if (fd < 0) {
        return fd == -ENOENT ? -ESRCH : fd;
    }
    int result = read_all(fd, callback, context);
    root_close(fd);
    return result;
}

int process_read_smaps(int root, pid_t tid, smaps_callback *callback, void *context)
{
    return read_file(root, tid, "smaps", callback, context);
}

int process_read_maps(int root, pid_t tid, smaps_callback *callback, void *context)
{
    return read_file(root, tid, "maps", callback, context);
}
