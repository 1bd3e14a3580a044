#include "shim/cli/preload_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SEPARATORS ": "

struct element {
    const char *text;
    size_t length;
};

static struct element whole(const char *text)
{
    return (struct element){text, strlen(text)};
}

static bool next_element(const char **list, struct element *ret_element)
{
    const char *start = *list + strspn(*list, SEPARATORS);
    if (*start == '\0') {
        return false;
    }
    *ret_element = (struct element){start, strcspn(start, SEPARATORS)};
    *list = start + ret_element->length;
    return true;
}

static struct element file_name(struct element path)
{
    for (size_t i = path.length; i > 0; i--) {
        if (path.text[i - 1] == '/') {
            return (struct element){path.text + i, path.length - i};
        }
    }
    return path;
}

static bool same_file_name(struct element a, struct element b)
{
    struct element x = file_name(a), y = file_name(b);
    return x.length == y.length && memcmp(x.text, y.text, x.length) == 0;
}

static void append(char **end, struct element element, const char *list)
{
    if (*end != list) {
        *(*end)++ = ':';
    }
    memcpy(*end, element.text, element.length);
    *end += element.length;
    **end = '\0';
}

bool preload_list_can_hold(const char *path)
{
    return path[0] != '\0' && path[strcspn(path, SEPARATORS)] == '\0';
}

static bool is_runtime(struct element element, const char *const *runtimes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (same_file_name(element, whole(runtimes[i]))) {
            return true;
        }
    }
    return false;
}

int preload_list_merge(const char *current, const char *library, const char *const *runtimes,
                       size_t runtime_count, char **ret_list)
{
    struct element ours = whole(library), element;
    const char *rest = current != NULL ? current : "";
    size_t size = strlen(rest) + ours.length + 2;
    bool present = false;
    while (next_element(&rest, &element)) {
        present = present || same_file_name(element, ours);
        size += ours.length + 1; /* it may be replaced by our path */
    }
    for (size_t i = 0; i < runtime_count; i++) {
        size += strlen(runtimes[i]) + 1;
    }

    char *list = malloc(size);
    if (list == NULL) {
        return -ENOMEM;
    }
    char *end = list;
    *end = '\0';
    for (size_t i = 0; i < runtime_count; i++) {
        append(&end, whole(runtimes[i]), list);
    }
    if (!present) {
        append(&end, ours, list);
    }
    rest = current != NULL ? current : "";
    for (bool placed = false; next_element(&rest, &element);) {
        if (is_runtime(element, runtimes, runtime_count)) {
            continue;
        }
        if (!same_file_name(element, ours)) {
            append(&end, element, list);
        } else if (!placed) {
            append(&end, ours, list);
            placed = true;
        }
    }
    *ret_list = list;
    return 0;
}
