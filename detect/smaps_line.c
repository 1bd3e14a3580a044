#include "detect/smaps_line.h"
#include <string.h>

/* A line that is being read. Every step below moves at, or fails. */
struct cursor {
    const char *at, *end;
};

static unsigned digit_value(char byte)
{
    unsigned decimal = (unsigned)byte - '0', letter = (unsigned)byte - 'a';
    return decimal < 10 ? decimal : letter < 6 ? letter + 10 : 16;
}

/* At least one digit; false also where the number does not fit. Inline for the sake of
 * speed: the base is then a constant. */
static inline __attribute__((always_inline)) bool take_number(struct cursor *cursor, unsigned base,
                                                              uint64_t *ret_number)
{
    uint64_t number = 0;
    const char *at = cursor->at;
    for (; at < cursor->end; at++) {
        unsigned digit = digit_value(*at);
        if (digit >= base) {
            break;
        }
        if (__builtin_mul_overflow(number, base, &number) ||
            __builtin_add_overflow(number, digit, &number)) {
            return false;
        }
    }
    if (at == cursor->at) {
        return false;
    }
    cursor->at = at;
    *ret_number = number;
    return true;
}

static bool take_byte(struct cursor *cursor, char byte)
{
    if (cursor->at == cursor->end || *cursor->at != byte) {
        return false;
    }
    cursor->at++;
    return true;
}

static void skip_blanks(struct cursor *cursor)
{
    while (cursor->at < cursor->end && *cursor->at == ' ') {
        cursor->at++;
    }
}

/* One letter of "rwxp": set, cleared, or neither. */
static bool take_permission(struct cursor *cursor, char set, char cleared, bool *ret_is_set)
{
    if (take_byte(cursor, set)) {
        *ret_is_set = true;
        return true;
    }
    *ret_is_set = false;
    return take_byte(cursor, cleared);
}

/* "7f12c0000000-7f12c0200000 rw-p 00000000 fe:01 1234      /some/file" */
bool smaps_line_parse_header(const char *text, size_t length, struct smaps_mapping *ret_mapping)
{
    struct cursor line = {text, text + length};
    struct smaps_mapping mapping; /* up to its name, which is long */
    memset(&mapping, 0, offsetof(struct smaps_mapping, name));
    uint64_t device;
    if (!take_number(&line, 16, &mapping.start) || !take_byte(&line, '-') ||
        !take_number(&line, 16, &mapping.end) || !take_byte(&line, ' ') ||
        !take_permission(&line, 'r', '-', &mapping.readable) ||
        !take_permission(&line, 'w', '-', &mapping.writable) ||
        !take_permission(&line, 'x', '-', &mapping.executable) ||
        !take_permission(&line, 's', 'p', &mapping.shared) || !take_byte(&line, ' ') ||
        !take_number(&line, 16, &mapping.offset) || !take_byte(&line, ' ') ||
        !take_number(&line, 16, &device) || !take_byte(&line, ':') ||
        !take_number(&line, 16, &device) || !take_byte(&line, ' ') ||
        !take_number(&line, 10, &mapping.inode) || mapping.start >= mapping.end) {
        return false;
    }
    if (line.at < line.end && *line.at != ' ') {
        return false;
    }
    skip_blanks(&line);
    size_t name_length = (size_t)(line.end - line.at);
    if (name_length >= sizeof(mapping.name)) {
        name_length = sizeof(mapping.name) - 1;
    }
    memcpy(ret_mapping, &mapping, offsetof(struct smaps_mapping, name));
    memcpy(ret_mapping->name, line.at, name_length);
    ret_mapping->name[name_length] = '\0';
    return true;
}

bool smaps_line_is_header(const char *text, size_t length)
{
    size_t at = 0;
    while (at < length && digit_value(text[at]) < 16) {
        at++;
    }
    return at > 0 && at < length && text[at] == '-';
}

static void parse_vm_flags(struct cursor line, struct smaps_mapping *mapping)
{
    mapping->has_vm_flags = true;
    for (skip_blanks(&line); line.at < line.end; skip_blanks(&line)) {
        const char *flag = line.at;
        while (line.at < line.end && *line.at != ' ') {
            line.at++;
        }
        if (line.at - flag == 2) {
            mapping->no_huge_page |= memcmp(flag, "nh", 2) == 0;
            mapping->huge_page |= memcmp(flag, "hg", 2) == 0;
        }
    }
}

/* Inline for the sake of speed: the name's length is then a constant. */
static inline __attribute__((always_inline)) bool take_name(struct cursor *line, const char *name)
{
    size_t length = strlen(name);
    if ((size_t)(line->end - line->at) < length || memcmp(line->at, name, length) != 0) {
        return false;
    }
    line->at += length;
    skip_blanks(line);
    return true;
}

/* "       1234 kB"; anything else leaves the field as it is. */
static void parse_kib(struct cursor line, uint64_t *ret_bytes)
{
    uint64_t kib;
    uint64_t bytes;
    if (take_number(&line, 10, &kib) && take_name(&line, " kB") && line.at == line.end &&
        !__builtin_mul_overflow(kib, UINT64_C(1024), &bytes)) {
        *ret_bytes = bytes;
    }
}

/* Most lines are of no interest here, and a large process has half a million of them: the
 * first letter is all that is looked at. */
void smaps_line_parse_field(const char *text, size_t length, struct smaps_mapping *mapping)
{
    struct cursor line = {text, text + length};
    uint64_t number;
    switch (line.at < line.end ? *line.at : '\0') {
    case 'R':
        if (take_name(&line, "Rss:")) {
            parse_kib(line, &mapping->rss_bytes);
        }
        break;
    case 'A':
        if (take_name(&line, "Anonymous:")) {
            parse_kib(line, &mapping->anonymous_bytes);
        } else if (take_name(&line, "AnonHugePages:")) {
            parse_kib(line, &mapping->anon_huge_bytes);
        }
        break;
    case 'S':
        if (take_name(&line, "Swap:")) {
            parse_kib(line, &mapping->swap_bytes);
        }
        break;
    case 'V':
        if (take_name(&line, "VmFlags:")) {
            parse_vm_flags(line, mapping);
        }
        break;
    case 'T':
        if (take_name(&line, "THPeligible:") && take_number(&line, 10, &number) &&
            line.at == line.end) {
            mapping->has_thp_eligible = true;
            mapping->thp_eligible = number != 0;
        }
        break;
    default:
        break;
    }
}
