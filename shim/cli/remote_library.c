#include "shim/cli/remote_library.h"
#include "detect/process_files.h"
#include "detect/root_read.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Read in one step: about what the kernel writes in the time that it needs for a tenth of it
 * with sums. */
#define STEP_READS 16

void remote_library_look(const struct smaps_mapping *mapping, remote_library_test *const *tests,
                         size_t count, struct remote_library *libraries)
{
    if (mapping->offset != 0 || !mapping->readable || mapping->name[0] != '/') {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        struct remote_library *library = &libraries[i];
        if (library->start == 0 && tests[i](mapping->name)) {
            library->start = mapping->start;
            library->end = mapping->end;
            library->inode = mapping->inode;
            memcpy(library->path, mapping->name, sizeof(library->path));
            return;
        }
    }
}

static int look_at(const struct smaps_mapping *mapping, void *context)
{
    const struct remote_search *search = context;
    remote_library_look(mapping, search->tests, search->count, search->libraries);
    return 0;
}

int remote_search_begin(pid_t tid, remote_library_test *const *tests, size_t count,
                        struct remote_library *ret_libraries, struct remote_search *ret_search)
{
    char path[64];
    (void)snprintf(path, sizeof(path), "/proc/%d/maps", (int)tid);
    int fd = root_open(ROOT_HOST, path);
    if (fd < 0) {
        return fd == -ENOENT ? -ESRCH : fd;
    }
    memset(ret_libraries, 0, count * sizeof(*ret_libraries));
    ret_search->tests = tests;
    ret_search->count = count;
    ret_search->libraries = ret_libraries;
    ret_search->fd = fd;
    ret_search->is_empty = true;
    smaps_parser_begin(&ret_search->parser);
    return 0;
}

/* Asks for one file after the other. 1, or -errno: the kernel cannot be asked. */
static int ask_for_files(struct remote_search *search)
{
    struct smaps_mapping mapping;
    uint64_t address = 0;
    int result;
    while ((result = process_next_file(search->fd, address, &mapping)) == 0) {
        (void)look_at(&mapping, search);
        address = mapping.end;
    }
    return result == -ENOENT && address != 0 ? 1 : result;
}

int remote_search_on(struct remote_search *search)
{
    char text[8192];
    if (search->is_empty && ask_for_files(search) == 1) {
        return 1;
    }
    for (int i = 0; i < STEP_READS; i++) {
        ssize_t length = root_read_some(search->fd, text, sizeof(text));
        if (length < 0) {
            return (int)length;
        }
        int result = length > 0
                         ? smaps_parser_feed(&search->parser, text, (size_t)length, look_at, search)
                         : smaps_parser_end(&search->parser, look_at, search);
        if (result != 0) {
            return result;
        }
        if (length == 0) {
            return search->is_empty ? -ESRCH : 1;
        }
        search->is_empty = false;
    }
    return 0;
}

void remote_search_end(struct remote_search *search)
{
    root_close(search->fd);
}

int remote_library_find(pid_t tid, remote_library_test *const *tests, size_t count,
                        struct remote_library *ret_libraries)
{
    struct remote_search search;
    int result = remote_search_begin(tid, tests, count, ret_libraries, &search);
    if (result != 0) {
        return result;
    }
    do {
        result = remote_search_on(&search);
    } while (result == 0);
    remote_search_end(&search);
    return result > 0 ? 0 : result;
}
