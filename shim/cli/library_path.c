#include "shim/cli/library_path.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static size_t without_slashes(const char *directory, size_t length)
{
    while (length > 0 && directory[length - 1] == '/') {
        length--;
    }
    return length;
}

int library_path_join(const char *directory, const char *relative, char *ret_path, size_t size)
{
    size_t length = without_slashes(directory, strlen(directory));
    while (strncmp(relative, "../", 3) == 0) {
        while (length > 0 && directory[length - 1] != '/') {
            length--;
        }
        length = without_slashes(directory, length);
        relative += 3;
    }
    char path[PATH_MAX];
    int written = snprintf(path, sizeof(path), "%.*s/%s", (int)length, directory, relative);
    if (written < 0 || (size_t)written >= sizeof(path) || (size_t)written >= size) {
        return -ENAMETOOLONG;
    }
    memcpy(ret_path, path, (size_t)written + 1);
    return 0;
}

int library_path_absolute(const char *given, char *ret_path, size_t size)
{
    char directory[PATH_MAX];
    if (given[0] == '/') {
        directory[0] = '\0';
        given++;
    } else if (getcwd(directory, sizeof(directory)) == NULL) {
        return -errno;
    }
    while (strncmp(given, "./", 2) == 0) {
        given += 2;
    }
    return library_path_join(directory, given, ret_path, size);
}

int library_path_find(char *ret_path, size_t size)
{
    static const char *const places[] = {
        THPFIX_LIBDIR_FROM_BINDIR "/" LIBRARY_FILE_NAME, /* as configured */
#ifdef THPFIX_LIBRARY_TRIPLET
        "../lib/" THPFIX_LIBRARY_TRIPLET "/" LIBRARY_FILE_NAME,
#endif
        "../lib/" LIBRARY_FILE_NAME,
        "../lib64/" LIBRARY_FILE_NAME,
        "../" LIBRARY_FILE_NAME, /* build tree: shim/cli/thpfix, shim/libthpfix.so */
    };
    char directory[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", directory, sizeof(directory) - 1);
    if (length < 0) {
        return errno == ENOENT ? -ESRCH : -errno;
    }
    directory[length] = '\0';
    char *slash = strrchr(directory, '/');
    if (slash == NULL) {
        return -ENOENT; /* "(unreachable)…": outside of our root directory */
    }
    *slash = '\0';
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        char path[PATH_MAX];
        if (library_path_join(directory, places[i], path, sizeof(path)) == 0 &&
            access(path, R_OK) == 0 && strlen(path) < size) {
            memcpy(ret_path, path, strlen(path) + 1);
            return 0;
        }
    }
    return -ENOENT;
}
