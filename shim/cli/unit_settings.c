#include "shim/cli/unit_settings.h"
#include "shim/cli/unit_syntax.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct taking {
    struct unit_settings *settings;
    size_t file, room;
};

static int take(const struct unit_assignment *assignment, void *context)
{
    struct taking *taking = context;
    struct unit_settings *settings = taking->settings;
    if (strcmp(assignment->section, "Service") != 0) {
        return 0;
    }
    if (settings->count == taking->room) {
        size_t room = taking->room * 2 + 64;
        struct unit_setting *list = realloc(settings->list, room * sizeof(*list));
        if (list == NULL) {
            return -ENOMEM;
        }
        settings->list = list;
        taking->room = room;
    }
    struct unit_setting setting = {strdup(assignment->key), strdup(assignment->value), taking->file,
                                   assignment->line};
    if (setting.key == NULL || setting.value == NULL) {
        free(setting.key);
        free(setting.value);
        return -ENOMEM;
    }
    settings->list[settings->count++] = setting;
    return 0;
}

int unit_settings_read(const struct file_tree *tree, const struct unit_files *files,
                       struct unit_settings *ret_settings, const char **ret_path)
{
    struct unit_settings settings = {.files = files};
    struct taking taking = {&settings, 0, 0};
    for (; taking.file < files->count; taking.file++) {
        char *text;
        int result = file_tree_read(tree, files->list[taking.file], &text);
        if (result == 0) {
            result = unit_syntax_parse(text, take, &taking);
            free(text);
        }
        if (taking.file > 0 && (result == -ENOENT || result == -EISDIR)) {
            continue; /* a link to /dev/null in a tree without: hides what lies below it */
        }
        if (result != 0) {
            unit_settings_free(&settings);
            *ret_path = files->list[taking.file];
            return result;
        }
    }
    *ret_settings = settings;
    return 0;
}

void unit_settings_free(struct unit_settings *settings)
{
    while (settings->count > 0) {
        settings->count--;
        free(settings->list[settings->count].key);
        free(settings->list[settings->count].value);
    }
    free(settings->list);
    settings->list = NULL;
}

const struct unit_setting *unit_settings_last(const struct unit_settings *settings, const char *key)
{
    for (size_t i = settings->count; i > 0; i--) {
        const struct unit_setting *setting = &settings->list[i - 1];
        if (strcmp(setting->key, key) == 0) {
            return setting->value[0] != '\0' ? setting : NULL;
        }
    }
    return NULL;
}

const struct unit_setting *unit_settings_next(const struct unit_settings *settings, const char *key,
                                              const struct unit_setting *after)
{
    size_t first = settings->count;
    if (after != NULL) {
        first = (size_t)(after - settings->list) + 1;
    } else {
        while (first > 0 && (strcmp(settings->list[first - 1].key, key) != 0 ||
                             settings->list[first - 1].value[0] != '\0')) {
            first--;
        }
    }
    for (size_t i = first; i < settings->count; i++) {
        if (strcmp(settings->list[i].key, key) == 0) {
            return &settings->list[i];
        }
    }
    return NULL;
}

bool unit_settings_true(const struct unit_settings *settings, const char *key)
{
    static const char *const words[] = {"yes", "true", "on", "1", "y", "t"};
    const struct unit_setting *setting = unit_settings_last(settings, key);
    for (size_t i = 0; setting != NULL && i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcasecmp(setting->value, words[i]) == 0) {
            return true;
        }
    }
    return false;
}
