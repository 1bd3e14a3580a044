#include "detect/process_smaps.h"
#include "detect/read_ahead.h"
#include "detect/root_read.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

struct reading {
    struct smaps_parser parser;
    smaps_callback *callback;
    smaps_between *between; /* may be NULL */
    void *context;
    bool is_empty;
};

static int take(const char *text, size_t length, void *context)
{
    struct reading *reading = context;
    reading->is_empty &= length == 0;
    int result =
        smaps_parser_feed(&reading->parser, text, length, reading->callback, reading->context);
    return result == 0 && reading->between != NULL ? reading->between(reading->context) : result;
}

static int read_file(int root, pid_t tid, const char *name, struct reading *reading)
{
    char path[64];
    (void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)tid, name);
    int fd = root_open(root, path);
    if (fd < 0) {
        return fd == -ENOENT ? -ESRCH : fd;
    }
    smaps_parser_begin(&reading->parser);
    reading->is_empty = true;
    int result = reading->between != NULL ? read_pieces_ahead(fd, take, reading)
                                          : read_pieces(fd, take, reading);
    root_close(fd);
    if (result != 0) {
        return result;
    }
    /* What has no memory any more has an empty list. */
    return reading->is_empty
               ? -ESRCH
               : smaps_parser_end(&reading->parser, reading->callback, reading->context);
}

int process_read_smaps(int root, pid_t tid, smaps_callback *callback, void *context)
{
    struct reading reading = {.callback = callback, .context = context};
    return read_file(root, tid, "smaps", &reading);
}

int process_read_smaps_ahead(int root, pid_t tid, smaps_callback *callback, smaps_between *between,
                             void *context)
{
    struct reading reading = {.callback = callback, .between = between, .context = context};
    return read_file(root, tid, "smaps", &reading);
}

int process_read_maps(int root, pid_t tid, smaps_callback *callback, void *context)
{
    struct reading reading = {.callback = callback, .context = context};
    return read_file(root, tid, "maps", &reading);
}
