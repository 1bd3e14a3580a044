/* SystemCallFilter=: the calls that the library makes for itself. */
#include "shim/cli/capture.h"
#include "shim/cli/systemd_check.h"
#include "shim/cli/unit_syntax.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GROUP_DEPTH_MAX 8

/* What no program that has started can lack (openat, mmap, prlimit64 of @default) is left out. */
static const char *const calls[] = {"madvise"};
#define CALL_COUNT (sizeof(calls) / sizeof(calls[0]))

/* Without systemd-analyze: these groups have had madvise since they exist. */
static const char known_groups[] = "@system-service\n    madvise\n@known\n    madvise\n";

/* Does a group of `systemd-analyze syscall-filter` hold the call? */
static bool group_holds(const char *groups, const char *group, const char *call, int depth)
{
    bool inside = false;
    for (const char *line = groups; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        size_t blanks = strspn(line, " ");
        char word[64];
        (void)snprintf(word, sizeof(word), "%.*s", (int)(length > blanks ? length - blanks : 0),
                       line + blanks);
        if (blanks == 0 && word[0] == '@') {
            inside = strcmp(word, group) == 0;
        } else if (inside && word[0] == '@') {
            if (depth < GROUP_DEPTH_MAX && group_holds(groups, word, call, depth + 1)) {
                return true;
            }
        } else if (inside && strcmp(word, call) == 0) {
            return true;
        }
        line += length + (line[length] == '\n');
    }
    return false;
}

enum answer { ANSWER_PASS, ANSWER_ERROR, ANSWER_KILL };

/* "kill", "log" and "allow" among the names of errors are words of systemd's own. */
static enum answer refusal(const char *word)
{
    if (word == NULL || strcmp(word, "kill") == 0) {
        return ANSWER_KILL;
    }
    return strcmp(word, "log") == 0 || strcmp(word, "allow") == 0 ? ANSWER_PASS : ANSWER_ERROR;
}

/* What the filter answers to a call, with the last assignment that has to do with it. */
static enum answer answer_to(const struct unit_settings *settings, const char *groups,
                             const char *call, const struct unit_setting **ret_by)
{
    const struct unit_setting *number = unit_settings_last(settings, "SystemCallErrorNumber");
    const enum answer refused = refusal(number != NULL ? number->value : NULL);
    const struct unit_setting *setting = NULL;
    enum answer answer = ANSWER_PASS;
    bool first = true;
    while ((setting = unit_settings_next(settings, "SystemCallFilter", setting)) != NULL) {
        const char *rest = setting->value;
        bool inverted = rest[0] == '~';
        char word[128];
        if (first) {
            answer = inverted ? ANSWER_PASS : refused;
            *ret_by = setting;
            first = false;
        }
        rest += inverted;
        while (unit_syntax_word(&rest, word, sizeof(word)) == 1) {
            char *error = strchr(word, ':');
            if (error != NULL) {
                *error++ = '\0';
            }
            if (word[0] == '@' ? group_holds(groups, word, call, 0) : strcmp(word, call) == 0) {
                answer = !inverted ? ANSWER_PASS : error != NULL ? refusal(error) : refused;
                *ret_by = setting;
            }
        }
    }
    return answer;
}

void systemd_check_calls(const struct systemd_target *target, struct systemd_findings *findings)
{
    static const char *const analyze[] = {"systemd-analyze", "--no-pager", "syscall-filter", NULL};
    const struct unit_setting *by = unit_settings_next(target->settings, "SystemCallFilter", NULL);
    char *groups = NULL, *err = NULL;
    int status = 0;
    enum answer worst = ANSWER_PASS;
    if (by == NULL) {
        return;
    }
    if (capture(analyze, &groups, &err, &status) == 0) {
        free(err);
        if (status != 0) {
            free(groups);
            groups = NULL;
        }
    }
    for (size_t i = 0; i < CALL_COUNT; i++) {
        enum answer answer =
            answer_to(target->settings, groups != NULL ? groups : known_groups, calls[i], &by);
        if (answer != ANSWER_PASS) {
            size_t length = strlen(findings->calls);
            (void)snprintf(findings->calls + length, sizeof(findings->calls) - length, "%s%s",
                           length > 0 ? " " : "", calls[i]);
            worst = answer > worst ? answer : worst;
        }
    }
    free(groups);
    if (worst == ANSWER_PASS || target->allow_calls) {
        return;
    }
    if (worst == ANSWER_KILL) {
        systemd_defeat(target, findings,
                       "%s kills the service at %s, which the library calls when it acts: let "
                       "them pass with --install --allow-calls, or set SystemCallErrorNumber=EPERM",
                       systemd_place(target, by), findings->calls);
    } else {
        systemd_warning(target, findings,
                        "%s forbids %s: the library then does what it can without; let them pass "
                        "with --install --allow-calls",
                        systemd_place(target, by), findings->calls);
    }
}
