#include "shim/memory_room.h"

#include "detect/root_read.h"
#include "detect/units.h"

#include <stdint.h>
#include <string.h>

#define KEPT_BACK 16 /* one part in so many */

struct text {
    size_t length;
    char bytes[4096];
};

struct path {
    size_t length;
    bool cut; /* longer than it may be: names nothing */
    char bytes[768];
};

/* One look at everything. One text after the other: stacks are small. */
struct look {
    int root;
    struct text text;
    struct path directory;
    bool known;
    size_t least; /* where known */
};

/* The files of one cgroup version. NULL: there is none. */
struct cgroup_files {
    const char *mount, *limit, *high, *usage, *droppable;
};

static const struct cgroup_files version_1 = {"/sys/fs/cgroup/memory", "/memory.limit_in_bytes",
                                              NULL, "/memory.usage_in_bytes",
                                              "total_inactive_file "};
static const struct cgroup_files version_2 = {"/sys/fs/cgroup", "/memory.max", "/memory.high",
                                              "/memory.current", "inactive_file "};

static void path_add(struct path *path, const char *bytes, size_t length)
{
    if (length >= sizeof(path->bytes) - path->length) {
        path->cut = true;
        return;
    }
    /* memcpy by that name is of glibc 2.14. */
    memmove(path->bytes + path->length, bytes, length);
    path->length += length;
    path->bytes[path->length] = '\0';
}

/* The start of a file; what does not fit is left out. */
static bool read_text(struct look *look, const char *path)
{
    int fd = root_open(look->root, path);
    if (fd < 0) {
        return false;
    }
    ssize_t length = root_read_some(fd, look->text.bytes, sizeof(look->text.bytes));
    root_close(fd);
    look->text.length = length > 0 ? (size_t)length : 0;
    return length > 0;
}

/* The decimal number at the cursor, after blanks. "max" is none. */
static bool number_at(const struct text *text, size_t at, size_t *ret_number)
{
    size_t number = 0, digits = 0;
    while (at < text->length && text->bytes[at] == ' ') {
        at++;
    }
    for (; at < text->length && text->bytes[at] >= '0' && text->bytes[at] <= '9'; at++) {
        if (__builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, (size_t)(text->bytes[at] - '0'), &number)) {
            return false;
        }
        digits++;
    }
    if (digits == 0) {
        return false;
    }
    *ret_number = number;
    return true;
}

/* Behind the name with which a line begins; 0: there is no such line. */
static size_t line_at(const struct text *text, const char *name)
{
    size_t length = strlen(name);
    for (size_t at = 0; at + length <= text->length;) {
        if (memcmp(text->bytes + at, name, length) == 0) {
            return at + length;
        }
        const char *newline = memchr(text->bytes + at, '\n', text->length - at);
        if (newline == NULL) {
            break;
        }
        at = (size_t)(newline - text->bytes) + 1;
    }
    return 0;
}

static bool field(const struct text *text, const char *name, size_t *ret_number)
{
    size_t at = line_at(text, name);
    return at != 0 && number_at(text, at, ret_number);
}

static size_t less(size_t from, size_t what)
{
    return from > what ? from - what : 0;
}

static void take_least(struct look *look, size_t room)
{
    if (!look->known || room < look->least) {
        look->least = room;
    }
    look->known = true;
}

static bool read_file(struct look *look, const char *name)
{
    size_t length = look->directory.length;
    path_add(&look->directory, name, strlen(name));
    bool is_read = !look->directory.cut && read_text(look, look->directory.bytes);
    look->directory.length = length;
    look->directory.bytes[length] = '\0';
    look->directory.cut = false;
    return is_read;
}

static bool read_number(struct look *look, const char *name, size_t *ret_number)
{
    return read_file(look, name) && number_at(&look->text, 0, ret_number);
}

/* One cgroup. Without a limit of its own it tells nothing. */
static void look_at_cgroup(struct look *look, const struct cgroup_files *files)
{
    size_t limit = SIZE_MAX, high = SIZE_MAX, used, droppable = 0;
    (void)read_number(look, files->limit, &limit);
    if (files->high != NULL) {
        (void)read_number(look, files->high, &high);
    }
    if (high < limit) {
        limit = high;
    }
    if (limit == SIZE_MAX || !read_number(look, files->usage, &used)) {
        return;
    }
    if (read_file(look, "/memory.stat")) {
        (void)field(&look->text, files->droppable, &droppable);
    }
    take_least(look, less(limit - limit / KEPT_BACK, less(used, droppable)));
}

/* "4:memory:/some/path" or "0::/some/path", in /proc/self/cgroup. */
static const struct cgroup_files *find_cgroup(const struct text *cgroups, struct path *ret_path)
{
    const struct cgroup_files *found = NULL;
    const char *end = cgroups->bytes + cgroups->length, *newline;
    for (const char *line = cgroups->bytes;
         line < end && (newline = memchr(line, '\n', (size_t)(end - line))) != NULL;
         line = newline + 1) {
        const char *names = memchr(line, ':', (size_t)(newline - line));
        const char *path =
            names != NULL ? memchr(names + 1, ':', (size_t)(newline - names - 1)) : NULL;
        if (path == NULL) {
            continue;
        }
        size_t length = (size_t)(path - names);
        bool is_version_1 = length == 7 && memcmp(names, ":memory", 7) == 0;
        if (is_version_1 || (length == 1 && found == NULL)) {
            found = is_version_1 ? &version_1 : &version_2;
            *ret_path = (struct path){0};
            path_add(ret_path, found->mount, strlen(found->mount));
            path_add(ret_path, path + 1, (size_t)(newline - path - 1));
        }
        if (is_version_1) {
            break; /* the memory controller can be in one version only */
        }
    }
    return found;
}

/* The cgroup and all above it: each has a limit of its own. In a container the path may
 * be the host's, and only the mount's own directory exist. */
static void look_at_cgroups(struct look *look)
{
    const struct cgroup_files *files;
    if (!read_text(look, "/proc/self/cgroup") ||
        (files = find_cgroup(&look->text, &look->directory)) == NULL || look->directory.cut) {
        return;
    }
    struct path *directory = &look->directory;
    size_t mount_length = strlen(files->mount);
    for (;;) {
        look_at_cgroup(look, files);
        if (directory->length <= mount_length) {
            return;
        }
        while (directory->bytes[--directory->length] != '/') {
        }
        directory->bytes[directory->length] = '\0';
    }
}

bool memory_room(int root, size_t *ret_bytes)
{
    struct look look;
    size_t total_kib, available_kib;
    look.root = root;
    look.known = false;
    if (read_text(&look, "/proc/meminfo") && field(&look.text, "MemTotal:", &total_kib) &&
        field(&look.text, "MemAvailable:", &available_kib)) {
        take_least(&look, less(available_kib, total_kib / KEPT_BACK) * KIB);
    }
    look_at_cgroups(&look);
    if (look.known) {
        *ret_bytes = look.least;
    }
    return look.known;
}
