#include "shim/cli/systemd_preload.h"
#include "shim/cli/counters_read.h"
#include "shim/cli/unit_syntax.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VARIABLE "LD_PRELOAD"

unsigned systemd_preload_count(const char *list)
{
    unsigned times = 0;
    while (*(list += strspn(list, ": ")) != '\0') {
        size_t length = strcspn(list, ": ");
        char element[PATH_MAX];
        if (length < sizeof(element)) {
            memcpy(element, list, length);
            element[length] = '\0';
            times += counters_is_library(element);
        }
        list += length;
    }
    return times;
}

/* The last assignment of LD_PRELOAD in a line of Environment=: 1, 0 there is none, -errno. */
static int value_in_line(const char *line, char *ret_value)
{
    char word[SYSTEMD_PRELOAD_BYTES + sizeof(VARIABLE)];
    int found = 0, result;
    while ((result = unit_syntax_word(&line, word, sizeof(word))) == 1) {
        if (strncmp(word, VARIABLE "=", strlen(VARIABLE "=")) == 0) {
            (void)snprintf(ret_value, SYSTEMD_PRELOAD_BYTES, "%s", word + strlen(VARIABLE "="));
            found = 1;
        }
    }
    return result < 0 ? result : found;
}

static bool takes_away(const struct unit_setting *setting)
{
    const char *rest = setting->value;
    char word[SYSTEMD_PRELOAD_BYTES];
    while (unit_syntax_word(&rest, word, sizeof(word)) == 1) {
        if (strncmp(word, VARIABLE, strlen(VARIABLE)) == 0 &&
            (word[strlen(VARIABLE)] == '\0' || word[strlen(VARIABLE)] == '=')) {
            return true;
        }
    }
    return false;
}

int systemd_preload_find(const struct unit_settings *settings, const char *manager,
                         struct systemd_preload *ret_preload)
{
    struct systemd_preload preload = {0};
    (void)snprintf(preload.before, sizeof(preload.before), "%s", manager);
    for (size_t i = 0; i < settings->count; i++) {
        const struct unit_setting *setting = &settings->list[i];
        bool behind = setting->file >= settings->files->own_place;
        char value[SYSTEMD_PRELOAD_BYTES] = "";
        if (strcmp(setting->key, "Environment") != 0) {
            continue;
        }
        bool reset = setting->value[0] == '\0';
        int result = reset ? 1 : value_in_line(setting->value, value);
        if (result < 0) {
            ret_preload->set_by = setting;
            return -EINVAL;
        }
        if (result == 0) {
            continue;
        }
        if (behind) {
            preload.overruled_by = setting;
            preload.overruled_with_us = systemd_preload_count(value) > 0;
            continue;
        }
        preload.set_by = reset ? NULL : setting;
        (void)snprintf(preload.before, sizeof(preload.before), "%s", reset ? manager : value);
    }
    const struct unit_setting *unset = NULL;
    while ((unset = unit_settings_next(settings, "UnsetEnvironment", unset)) != NULL) {
        preload.unset_by = takes_away(unset) ? unset : preload.unset_by;
    }
    preload.times = systemd_preload_count(preload.before);
    *ret_preload = preload;
    return 0;
}

int systemd_preload_text(const char *unit, const char *list, const char *calls, char **ret_text)
{
    char assignment[SYSTEMD_PRELOAD_BYTES + sizeof(VARIABLE)];
    char quoted[2 * SYSTEMD_PRELOAD_BYTES];
    int length = snprintf(assignment, sizeof(assignment), VARIABLE "=%s", list);
    if (length < 0 || (size_t)length >= sizeof(assignment)) {
        return -EINVAL;
    }
    int result = unit_syntax_quote(assignment, quoted, sizeof(quoted));
    if (result != 0) {
        return result;
    }
    char *text = NULL;
    if (asprintf(&text,
                 SYSTEMD_MARK "\n# To take it away: thpfix systemd '%s' --remove\n[Service]\n"
                              "Environment=%s\n",
                 unit, quoted) < 0) {
        return -ENOMEM;
    }
    char *more = NULL;
    if (calls[0] != '\0' &&
        asprintf(
            &more,
            "%s# Adds to the filter of the unit. Without that it would forbid all other calls.\n"
            "SystemCallFilter=%s\n",
            text, calls) < 0) {
        free(text);
        return -ENOMEM;
    }
    if (more != NULL) {
        free(text);
        text = more;
    }
    *ret_text = text;
    return 0;
}

bool systemd_preload_is_ours(const char *text)
{
    size_t length = strlen(SYSTEMD_MARK);
    return strncmp(text, SYSTEMD_MARK, length) == 0 &&
           (text[length] == '\n' || text[length] == '\0');
}
