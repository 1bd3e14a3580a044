#include "shim/cli/remote_library.h"
#include "detect/process_smaps.h"
#include "detect/root_read.h"

#include <string.h>

struct search {
    remote_library_test *const *tests;
    size_t count;
    struct remote_library *libraries;
};

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
    const struct search *search = context;
    remote_library_look(mapping, search->tests, search->count, search->libraries);
    return 0;
}

int remote_library_find(pid_t tid, remote_library_test *const *tests, size_t count,
                        struct remote_library *ret_libraries)
{
    struct search search = {tests, count, ret_libraries};
    memset(ret_libraries, 0, count * sizeof(*ret_libraries));
    return process_read_maps(ROOT_HOST, tid, look_at, &search);
}
