#include "detect/smaps_parse.h"
#include "detect/smaps_sizes.h"
#include <errno.h>
#include <string.h>

static int hand_out(struct smaps_parser *parser, smaps_callback *callback, void *context)
{
    if (!parser->in_mapping) {
        return 0;
    }
    parser->in_mapping = false;
    return callback(&parser->mapping, context);
}

static int parse_line(struct smaps_parser *parser, const char *line, size_t length, bool is_cut,
                      smaps_callback *callback, void *context)
{
    if (smaps_line_is_header(line, length)) {
        int result = hand_out(parser, callback, context);
        if (result != 0) {
            return result;
        }
        if (!smaps_line_parse_header(line, length, &parser->mapping)) {
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
        smaps_line_parse_field(line, length, &parser->mapping);
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
    memmove(parser->line + parser->line_length, text, kept);
    parser->line_length += kept;
    parser->skipping |= kept < length;
}

int smaps_parser_feed(struct smaps_parser *parser, const char *text, size_t length,
                      smaps_callback *callback, void *context)
{
    const char *end = text + length;
    while (text < end) {
        if (parser->in_mapping && parser->line_length == 0) {
            text += smaps_sizes_parse(text, (size_t)(end - text), &parser->mapping);
        }
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        size_t piece = (size_t)((newline != NULL ? newline : end) - text);
        /* A line that is whole is read where it lies. */
        bool in_place = newline != NULL && parser->line_length == 0 && piece < sizeof(parser->line);
        const char *line = text;
        size_t line_length = piece;
        if (!in_place) {
            keep(parser, text, piece);
            line = parser->line;
            line_length = parser->line_length;
        }
        text += piece;
        if (newline == NULL) {
            return 0;
        }
        text++;
        int result = parse_line(parser, line, line_length, parser->skipping, callback, context);
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
