/* Whether the library can be seen and read by the service. */
#include "shim/cli/systemd_check.h"
#include "shim/cli/unit_syntax.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool is_below(const char *path, const char *directory)
{
    size_t length = strlen(directory);
    while (length > 0 && directory[length - 1] == '/') {
        length--;
    }
    return strncmp(path, directory, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

static bool is_below_any(const char *path, const char *const *directories, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (is_below(path, directories[i])) {
            return true;
        }
    }
    return false;
}

/* The setting of a list of paths that holds the library, the one that names it most closely;
 * NULL: none. ret_length: of the path. */
static const struct unit_setting *covering(const struct systemd_target *target, const char *key,
                                           size_t *ret_length)
{
    const struct unit_setting *setting = NULL, *best = NULL;
    size_t longest = 0;
    while ((setting = unit_settings_next(target->settings, key, setting)) != NULL) {
        const char *rest = setting->value;
        char word[PATH_MAX];
        while (unit_syntax_word(&rest, word, sizeof(word)) == 1) {
            const char *path = word + strspn(word, "-+");
            /* Bind…Paths=SOURCE:DESTINATION:OPTIONS, TemporaryFileSystem=PATH:OPTIONS */
            if (strncmp(key, "Bind", 4) == 0 && strchr(path, ':') != NULL) {
                path = strchr(path, ':') + 1;
            }
            word[strcspn(path, ":") + (size_t)(path - word)] = '\0';
            if (path[0] == '/' && is_below(target->library_file, path) &&
                (best == NULL || strlen(path) >= longest)) {
                best = setting;
                longest = strlen(path);
            }
        }
    }
    *ret_length = longest;
    return best;
}

/* What is bound to the library's place, or to a directory above, is what counts there. */
static bool is_bound(const struct systemd_target *target)
{
    size_t length;
    return covering(target, "BindPaths", &length) != NULL ||
           covering(target, "BindReadOnlyPaths", &length) != NULL;
}

static void check_hidden(const struct systemd_target *target, struct systemd_findings *findings)
{
    static const char *const homes[] = {"/home", "/root", "/run/user"};
    static const char *const temporary[] = {"/tmp", "/var/tmp"};
    static const char *const hiding[] = {"InaccessiblePaths", "InaccessibleDirectories",
                                         "TemporaryFileSystem"};
    const struct unit_settings *settings = target->settings;
    const struct unit_setting *home = unit_settings_last(settings, "ProtectHome");
    bool home_hidden = unit_settings_true(settings, "ProtectHome") ||
                       (home != NULL && strcmp(home->value, "tmpfs") == 0);
    const struct unit_setting *by = NULL;
    size_t length;
    if (home_hidden && is_below_any(target->library_file, homes, 3)) {
        by = home;
    } else if (is_below_any(target->library_file, temporary, 2)) {
        by = unit_settings_true(settings, "PrivateTmp")
                 ? unit_settings_last(settings, "PrivateTmp")
                 : (unit_settings_true(settings, "DynamicUser")
                        ? unit_settings_last(settings, "DynamicUser")
                        : NULL);
    }
    for (size_t i = 0; by == NULL && i < sizeof(hiding) / sizeof(hiding[0]); i++) {
        by = covering(target, hiding[i], &length);
    }
    if (by != NULL) {
        systemd_defeat(target, findings,
                       "%s hides '%s' from the service: install the library in /usr, or add "
                       "BindReadOnlyPaths=%s",
                       systemd_place(target, by), target->library_file, target->library_file);
    }
    size_t allowed = 0;
    const struct unit_setting *no_exec = covering(target, "NoExecPaths", &length);
    const struct unit_setting *exec = covering(target, "ExecPaths", &allowed);
    if (no_exec != NULL && (exec == NULL || allowed < length)) {
        systemd_defeat(target, findings, "%s keeps '%s' from being loaded: add ExecPaths=%s",
                       systemd_place(target, no_exec), target->library_file, target->library_file);
    }
}

/* The first directory on the way, or the file itself, that others may not read; 0 none. */
static size_t unreadable_part(const struct systemd_target *target)
{
    const char *path = target->library_file;
    for (size_t length = 1; path[length - 1] != '\0'; length++) {
        char part[PATH_MAX];
        struct stat status;
        if (path[length] != '/' && path[length] != '\0') {
            continue;
        }
        (void)snprintf(part, sizeof(part), "%.*s", (int)length, path);
        if (file_tree_stat(target->tree, part, &status) == 0 &&
            (status.st_mode & (S_ISDIR(status.st_mode) ? S_IXOTH : S_IROTH)) == 0) {
            return length;
        }
        if (path[length] == '\0') {
            break;
        }
    }
    return 0;
}

static void check_readable(const struct systemd_target *target, struct systemd_findings *findings)
{
    size_t length = systemd_unprivileged(target) ? unreadable_part(target) : 0;
    if (length > 0) {
        systemd_warning(target, findings,
                        "'%.*s' is not open to everybody, and the service does not run as root: "
                        "where it cannot read the library it runs without (chmod, or install the "
                        "library in /usr)",
                        (int)length, target->library_file);
    }
}

/* Where the service has another root directory the library has to be in there. */
static bool check_root(const struct systemd_target *target, struct systemd_findings *findings)
{
    const struct unit_setting *image = unit_settings_last(target->settings, "RootImage");
    const struct unit_setting *root = unit_settings_last(target->settings, "RootDirectory");
    if (image != NULL) {
        systemd_warning(target, findings,
                        "%s: the library has to be in that image, at %s, or be brought there by "
                        "BindReadOnlyPaths=%s",
                        systemd_place(target, image), target->library, target->library_file);
        return true;
    }
    if (root == NULL || strcmp(root->value, "/") == 0) {
        return false;
    }
    char path[2 * PATH_MAX];
    struct stat status;
    int length = snprintf(path, sizeof(path), "%s%s", root->value, target->library_file);
    if (length < 0 || length >= PATH_MAX || file_tree_stat(target->tree, path, &status) != 0) {
        systemd_defeat(target, findings,
                       "%s: the library is not in there: install it at '%s', or add "
                       "BindReadOnlyPaths=%s",
                       systemd_place(target, root), path, target->library_file);
    }
    return true;
}

void systemd_check_files(const struct systemd_target *target, struct systemd_findings *findings)
{
    const struct unit_setting *profile = unit_settings_last(target->settings, "AppArmorProfile");
    static const char *const usual[] = {"/usr/lib", "/usr/lib64", "/lib", "/lib64"};
    if (target->library_file[0] == '\0') {
        return;
    }
    if (!is_bound(target) && !check_root(target, findings)) {
        check_hidden(target, findings);
        check_readable(target, findings);
    }
    if (profile != NULL && !is_below_any(target->library_file, usual, 4)) {
        systemd_warning(target, findings,
                        "%s: profiles let programs load libraries from /usr/lib, seldom from "
                        "elsewhere: install the library there, or add '%s mr,' to the profile",
                        systemd_place(target, profile), target->library_file);
    }
}
