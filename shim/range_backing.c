#include "shim/range_backing.h"

#include "detect/root_read.h"
#include "detect/smaps_parse.h"

#include <string.h>

struct search {
    uint64_t next, end; /* what of the range has not been seen */
};

enum { SEARCH_GOES_ON, SEARCH_MEMORY, SEARCH_OTHER };

static bool begins_with(const char *name, const char *start)
{
    return strncmp(name, start, strlen(start)) == 0;
}

/* What has an inode and is no file: the kernel's own names for it. */
static bool is_memory(const struct smaps_mapping *mapping)
{
    return mapping->inode == 0 || begins_with(mapping->name, "/memfd:") ||
           begins_with(mapping->name, "/dev/zero") || begins_with(mapping->name, "/SYSV");
}

/* Mappings come in ascending order. */
static int look_at_mapping(const struct smaps_mapping *mapping, void *context)
{
    struct search *search = context;
    if (mapping->end <= search->next) {
        return SEARCH_GOES_ON;
    }
    if (mapping->start > search->next || !is_memory(mapping)) {
        return SEARCH_OTHER;
    }
    search->next = mapping->end;
    return search->next >= search->end ? SEARCH_MEMORY : SEARCH_GOES_ON;
}

bool range_is_memory(int root, uintptr_t start, size_t bytes)
{
    /* Not /proc/self: that is the first thread, which may have ended. */
    int fd = root_open(root, "/proc/thread-self/maps");
    if (fd < 0) {
        return false;
    }
    struct search search = {start, (uint64_t)start + bytes};
    struct smaps_parser parser;
    char text[4096];
    ssize_t length;
    int result = SEARCH_GOES_ON;
    smaps_parser_begin(&parser);
    while (result == SEARCH_GOES_ON && (length = root_read_some(fd, text, sizeof(text))) > 0) {
        result = smaps_parser_feed(&parser, text, (size_t)length, look_at_mapping, &search);
    }
    if (result == SEARCH_GOES_ON) {
        result = smaps_parser_end(&parser, look_at_mapping, &search);
    }
    root_close(fd);
    return result == SEARCH_MEMORY;
}
