#include "detect/process_parse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PF_KTHREAD 0x00200000UL

/* Fields of stat(5), counted from the state, which is the third. */
enum { FIELD_STATE = 3, FIELD_FLAGS = 9, FIELD_THREADS = 20, FIELD_START = 22, FIELD_RSS = 24 };

static void copy_name(const char *name, size_t length, char *ret_name, size_t size)
{
    length = length < size ? length : size - 1;
    for (size_t i = 0; i < length; i++) {
        ret_name[i] = name[i];
        if ((unsigned char)name[i] < ' ' || name[i] == 0x7f) {
            ret_name[i] = '?';
        }
    }
    ret_name[length] = '\0';
}

int process_parse_stat(const char *text, size_t length, struct process_stat *ret_stat)
{
    const char *open = memchr(text, '(', length), *close = memrchr(text, ')', length);
    char rest[1024];
    if (open == NULL || close == NULL || close < open) {
        return -EINVAL;
    }
    size_t left = length - (size_t)(close + 1 - text);
    if (left >= sizeof(rest)) {
        return -EINVAL;
    }
    memcpy(rest, close + 1, left);
    rest[left] = '\0';

    struct process_stat stat = {0};
    copy_name(open + 1, (size_t)(close - open - 1), stat.name, sizeof(stat.name));
    int field = FIELD_STATE;
    char *state = NULL;
    for (char *word = strtok_r(rest, " \n", &state); word != NULL;
         word = strtok_r(NULL, " \n", &state), field++) {
        unsigned long long number = strtoull(word, NULL, 10);
        if (field == FIELD_STATE) {
            stat.state = *word;
        } else if (field == FIELD_FLAGS) {
            stat.kernel_thread = (number & PF_KTHREAD) != 0;
        } else if (field == FIELD_THREADS) {
            stat.threads = (size_t)number;
        } else if (field == FIELD_START) {
            stat.start_ticks = number;
        } else if (field == FIELD_RSS) {
            stat.rss_pages = number;
        }
    }
    if (field <= FIELD_RSS) {
        return -EINVAL;
    }
    *ret_stat = stat;
    return 0;
}

const char *process_status_value(const char *text, const char *name, size_t *ret_length)
{
    size_t name_length = strlen(name);
    for (const char *line = text; line != NULL && *line != '\0';) {
        if (strncmp(line, name, name_length) == 0 && line[name_length] == ':') {
            const char *value = line + name_length + 1;
            value += strspn(value, " \t");
            *ret_length = strcspn(value, "\n");
            return value;
        }
        line = strchr(line, '\n');
        line = line != NULL ? line + 1 : NULL;
    }
    return NULL;
}
