#include "shim/cli/systemd_library.h"
#include "shim/cli/library_path.h"
#include "shim/cli/message.h"
#include "shim/cli/preload_list.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Where a package puts it, and whether ld.so's $LIB stands for that directory: on Debian it is
 * lib/TRIPLET, on others lib64. Programs of another architecture then look in their own. */
static const struct place {
    const char *directory;
    bool is_lib;
} places[] = {
#ifdef THPFIX_LIBRARY_TRIPLET
    {"/usr/lib/" THPFIX_LIBRARY_TRIPLET, true},
#endif
    {"/usr/lib/x86_64-linux-gnu", true},
    {"/usr/lib/aarch64-linux-gnu", true},
    {"/usr/lib64", true},
    {"/usr/lib", false},
    {"/usr/local/lib", false},
};
#define PLACE_COUNT (sizeof(places) / sizeof(places[0]))

/* What to write for a file that is there. */
static void name_it(const char *path, struct systemd_library *library)
{
    (void)snprintf(library->file, sizeof(library->file), "%s", path);
    for (size_t i = 0; i < PLACE_COUNT; i++) {
        size_t length = strlen(places[i].directory);
        if (places[i].is_lib && strncmp(path, places[i].directory, length) == 0 &&
            strcmp(path + length, "/" LIBRARY_FILE_NAME) == 0) {
            (void)snprintf(library->preload, sizeof(library->preload), "%s",
                           "/usr/$LIB/" LIBRARY_FILE_NAME);
            return;
        }
    }
    (void)snprintf(library->preload, sizeof(library->preload), "%s", path);
}

static int find_installed(const struct file_tree *tree, struct systemd_library *library)
{
    for (size_t i = 0; i < PLACE_COUNT; i++) {
        char path[PATH_MAX];
        struct stat status;
        (void)snprintf(path, sizeof(path), "%s/" LIBRARY_FILE_NAME, places[i].directory);
        if (file_tree_stat(tree, path, &status) == 0 && S_ISREG(status.st_mode)) {
            name_it(path, library);
            return 0;
        }
    }
    message("systemd",
            LIBRARY_FILE_NAME " is not installed below '%s': install it there, or name "
                              "its path in there with --library PATH",
            tree->root);
    return -ENOENT;
}

static int find_own(struct systemd_library *library)
{
    char path[PATH_MAX];
    int result = library_path_find(path, sizeof(path));
    if (result != 0) {
        message("systemd",
                "cannot find " LIBRARY_FILE_NAME " beside this command: install it, or name it "
                "with --library PATH");
        return result;
    }
    name_it(path, library);
    return 0;
}

static int take_given(const struct file_tree *tree, const char *given,
                      struct systemd_library *library)
{
    struct stat status;
    if (given[0] != '/' || strlen(given) >= sizeof(library->preload)) {
        message("systemd",
                "--library: '%s' is no absolute path: services have a working "
                "directory of their own",
                given);
        return -EINVAL;
    }
    memcpy(library->preload, given, strlen(given) + 1);
    library->file[0] = '\0';
    if (strchr(given, '$') != NULL) {
        return 0; /* ld.so knows what it stands for */
    }
    int result = file_tree_stat(tree, given, &status);
    if (result == 0 && !S_ISREG(status.st_mode)) {
        result = -EISDIR;
    }
    if (result != 0) {
        message("systemd", "--library: cannot read '%s%s': %s", tree->root, given,
                strerror(-result));
        return result;
    }
    memcpy(library->file, given, strlen(given) + 1);
    return 0;
}

int systemd_library_find(const struct file_tree *tree, const char *given,
                         struct systemd_library *ret_library)
{
    struct systemd_library library = {0};
    int result = given != NULL           ? take_given(tree, given, &library)
                 : tree->root[0] != '\0' ? find_installed(tree, &library)
                                         : find_own(&library);
    if (result != 0) {
        return result;
    }
    if (!preload_list_can_hold(library.preload)) {
        message("systemd",
                "ld.so cannot preload '%s': it splits paths at colons and blanks; copy the "
                "library elsewhere and name it with --library PATH",
                library.preload);
        return -EINVAL;
    }
    *ret_library = library;
    return 0;
}

int systemd_library_escape(const char *path, char *ret_text, size_t size)
{
    size_t length = 0;
    for (; *path != '\0'; path++) {
        if (length + 3 > size) {
            return -ENAMETOOLONG;
        }
        ret_text[length++] = *path;
        if (*path == '%') {
            ret_text[length++] = '%';
        }
    }
    ret_text[length] = '\0';
    return 0;
}
