#include "shim/cli/heal_room.h"
#include "detect/process_memory.h"
#include "detect/process_smaps.h"
#include "detect/root_read.h"
#include "detect/units.h"
#include "shim/cli/glibc_layout.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define HEADERS_BYTES  2048
#define CODE_BYTES_MAX 256

int heal_room_segment_end(const unsigned char *headers, size_t size, uint64_t header,
                          uint64_t start, uint64_t *ret_end)
{
    Elf64_Ehdr file;
    Elf64_Phdr segment;
    if (size < sizeof(file)) {
        return -ENOEXEC;
    }
    memcpy(&file, headers, sizeof(file));
    if (memcmp(file.e_ident, ELFMAG, SELFMAG) != 0 || file.e_ident[EI_CLASS] != ELFCLASS64 ||
        file.e_phentsize != sizeof(segment) || file.e_phoff > size ||
        file.e_phnum > (size - file.e_phoff) / sizeof(segment)) {
        return -ENOEXEC;
    }
    bool has_bias = false;
    uint64_t bias = 0;
    for (size_t i = 0; i < file.e_phnum; i++) {
        memcpy(&segment, headers + file.e_phoff + i * sizeof(segment), sizeof(segment));
        if (segment.p_type != PT_LOAD) {
            continue;
        }
        if (segment.p_offset == 0) {
            bias = header - segment.p_vaddr;
            has_bias = true;
        }
        uint64_t at = bias + segment.p_vaddr;
        if (has_bias && (segment.p_flags & PF_X) != 0 && at >= start && at - start < 65536 &&
            segment.p_filesz == segment.p_memsz) {
            *ret_end = at + segment.p_memsz;
            return 0;
        }
    }
    return -ENOEXEC;
}

struct search {
    pid_t tid;
    const unsigned char *code;
    size_t code_bytes;
    uint64_t header, inode;
    bool glibc_seen;
    uint64_t found;
};

/* Is the place free, or ours already, if only in part? */
static bool may_take(const struct search *search, uint64_t address)
{
    unsigned char bytes[CODE_BYTES_MAX];
    if (process_memory_read(search->tid, address, bytes, search->code_bytes) != 0) {
        return false;
    }
    for (size_t i = 0; i < search->code_bytes; i++) {
        if (bytes[i] != 0 && bytes[i] != search->code[i]) {
            return false;
        }
    }
    return true;
}

static int look(const struct smaps_mapping *mapping, void *context)
{
    struct search *search = context;
    unsigned char headers[HEADERS_BYTES];
    uint64_t end;
    if (mapping->inode == 0 || mapping->shared ||
        !(glibc_is_libc(mapping->name) || glibc_is_libpthread(mapping->name) ||
          glibc_is_loader(mapping->name))) {
        return 0;
    }
    if (mapping->offset == 0) {
        search->header = mapping->start;
        search->inode = mapping->inode;
    }
    if (!mapping->executable || mapping->writable || mapping->inode != search->inode) {
        return 0;
    }
    search->glibc_seen = true;
    int result = process_memory_read(search->tid, search->header, headers, sizeof(headers));
    if (result != 0) {
        return result;
    }
    uint64_t address = align_down(mapping->end - search->code_bytes, 16);
    if (heal_room_segment_end(headers, sizeof(headers), search->header, mapping->start, &end) ==
            0 &&
        end <= address && end > mapping->start && may_take(search, address)) {
        search->found = address;
        return 1;
    }
    return 0;
}

int heal_room_find(pid_t tid, const unsigned char *code, size_t code_bytes, uint64_t *ret_address)
{
    struct search search = {.tid = tid, .code = code, .code_bytes = code_bytes};
    if (code_bytes > CODE_BYTES_MAX) {
        return -ENOSPC;
    }
    int result = process_read_maps(ROOT_HOST, tid, look, &search);
    if (result < 0) {
        return result;
    }
    if (search.found == 0) {
        return search.glibc_seen ? -ENOSPC : -ENOENT;
    }
    *ret_address = search.found;
    return 0;
}
