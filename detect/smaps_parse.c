#include "detect/smaps_parse.h"
#include <errno.h>
#include <string.h>

/* A line that is being read. Every step below moves at, or fails. */
struct cursor {
    const char *at, *end;
};

static int digit_value(char byte)
{
    if (byte >= '0' && byte <= '9') {
        return byte - '0';
    }
    if (byte >= 'a' && byte <= 'f') {
        return byte - 'a' + 10;
    }
    return 16;
}

/* At least one digit; false also where the number does not fit. */
static bool take_number(struct cursor *cursor, unsigned base, uint64_t *ret_number)
{
    uint64_t number = 0;
    const char *at = cursor->at;
    for (; at < cursor->end && (unsigned)digit_value(*at) < base; at++) {
        if (__builtin_mul_overflow(number, base, &number) ||
            __builtin_add_overflow(number, (unsigned)digit_value(*at), &number)) {
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
static bool parse_header(struct cursor line, struct smaps_mapping *ret_mapping)
{
    struct smaps_mapping mapping = {0};
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
    size_t length = (size_t)(line.end - line.at);
    if (length >= sizeof(mapping.name)) {
        length = sizeof(mapping.name) - 1;
    }
    memcpy(mapping.name, line.at, length);
    *ret_mapping = mapping;
    return true;
}

/* Does the line begin with "1234-"? No field name begins so. */
static bool looks_like_header(struct cursor line)
{
    const char *start = line.at;
    while (line.at < line.end && digit_value(*line.at) < 16) {
        line.at++;
    }
    return line.at > start && take_byte(&line, '-');
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
static void parse_field(struct cursor line, struct smaps_mapping *mapping)
{
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

static int hand_out(struct smaps_parser *parser, smaps_callback *callback, void *context)
{
    if (!parser->in_mapping) {
        return 0;
    }
    parser->in_mapping = false;
    return callback(&parser->mapping, context);
}

static int parse_line(struct smaps_parser *parser, struct cursor line, bool is_cut,
                      smaps_callback *callback, void *context)
{
    if (looks_like_header(line)) {
        int result = hand_out(parser, callback, context);
        if (result != 0) {
            return result;
        }
        if (!parse_header(line, &parser->mapping)) {
            return -EINVAL;
        }
        parser->in_mapping = true;
        return 0;
    }
    if (!parser->in_mapping) {
        return -EINVAL;
    }
    /* Only a path makes a line that long. Half a list of flags would be a wrong answer. */
    if (!is_cut) {
        parse_field(line, &parser->mapping);
    }
    return 0;
}

void smaps_parser_begin(struct smaps_parser *parser)
{
    parser->in_mapping = false;
    parser->skipping = false;
    parser->line_length = 0;
}

/* Part of a line: kept until the rest comes. */
static void keep(struct smaps_parser *parser, const char *text, size_t length)
{
    size_t room = sizeof(parser->line) - parser->line_length;
    size_t kept = length < room ? length : room;
    memcpy(parser->line + parser->line_length, text, kept);
    parser->line_length += kept;
    parser->skipping |= kept < length;
}

int smaps_parser_feed(struct smaps_parser *parser, const char *text, size_t length,
                      smaps_callback *callback, void *context)
{
    const char *end = text + length;
    while (text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        size_t piece = (size_t)((newline != NULL ? newline : end) - text);
        /* A line that is whole is read where it lies. */
        bool in_place = newline != NULL && parser->line_length == 0 && piece < sizeof(parser->line);
        struct cursor line = {text, text + piece};
        if (!in_place) {
            keep(parser, text, piece);
            line = (struct cursor){parser->line, parser->line + parser->line_length};
        }
        text += piece;
        if (newline == NULL) {
            return 0;
        }
        text++;
        int result = parse_line(parser, line, parser->skipping, callback, context);
        parser->line_length = 0;
        parser->skipping = false;
        if (result != 0) {
            return result;
        }
    }
    return 0;
}

int smaps_parser_end(struct smaps_parser *parser, smaps_callback *callback, void *context)
{
    if (parser->line_length != 0) {
        return 0; /* cut in the middle of a line */
    }
    return hand_out(parser, callback, context);
}
