/* Writes one JSON object, indented, to a stdio stream.
 *
 * A report about one thing is an object, as jq users expect (jq .affected), not a list of
 * rows. Write errors stay in the stream.
 */
#ifndef THPFIX_SHIM_CLI_JSON_WRITE_H
#define THPFIX_SHIM_CLI_JSON_WRITE_H

#include <stdbool.h>
#include <stdio.h>

struct json_writer {
    FILE *stream;
    unsigned depth;
    bool follows; /* something stands before this on its level */
};

/* name is NULL for the outermost object and for elements of an array. */
void json_open(struct json_writer *json, const char *name, char bracket);
void json_close(struct json_writer *json, char bracket);

/* NULL is null. Bytes that are no UTF-8 become U+FFFD: JSON knows no others. */
void json_string(struct json_writer *json, const char *name, const char *value);

void json_number(struct json_writer *json, const char *name, long long value);
void json_bool(struct json_writer *json, const char *name, bool value);
void json_null(struct json_writer *json, const char *name);

#endif
