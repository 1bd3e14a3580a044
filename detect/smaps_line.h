/* One line of /proc/PID/smaps, without its newline, to what it says of a mapping.
 *
 * Pure: no memory of its own, no locale, no stdio; any thread, in a signal handler.
 */
#ifndef THPFIX_DETECT_SMAPS_LINE_H
#define THPFIX_DETECT_SMAPS_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One mapping. Sizes are bytes. */
struct smaps_mapping {
    uint64_t start, end;
    bool readable, writable, executable, shared;
    uint64_t offset, inode;
    uint64_t rss_bytes, anonymous_bytes, anon_huge_bytes, swap_bytes;
    bool has_thp_eligible; /* the field exists (Linux 5.0 and later) */
    bool thp_eligible;
    bool has_vm_flags; /* VmFlags exists (Linux 3.8 and later) */
    bool no_huge_page; /* nh: VM_NOHUGEPAGE */
    bool huge_page;    /* hg: VM_HUGEPAGE */
    char name[256];    /* path, "[heap]", "[anon:…]" or ""; cut where longer */
};

/* Does the line begin as the first of a mapping does, "7f00-"? No field's name does. */
bool smaps_line_is_header(const char *text, size_t length);

/* "7f12c0000000-7f12c0200000 rw-p 00000000 fe:01 1234      /some/file". Sets every field of
 * *ret_mapping, those that other lines tell to nothing. false, and *ret_mapping untouched,
 * where the line is no header. */
bool smaps_line_parse_header(const char *text, size_t length, struct smaps_mapping *ret_mapping);

/* "Rss:     12 kB", "VmFlags: rd wr nh", …: one field of the mapping. A field that this code
 * does not know, or whose value has another form, changes nothing. */
void smaps_line_parse_field(const char *text, size_t length, struct smaps_mapping *mapping);

#endif
