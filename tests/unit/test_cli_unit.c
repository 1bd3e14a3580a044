#include "shim/cli/systemd_preload.h"
#include "shim/cli/unit_name.h"
#include "shim/cli/unit_syntax.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expect_name(const char *given, const char *text, const char *parent, bool is_template)
{
    struct unit_name name;
    const char *why = NULL;
    cr_assert_eq(unit_name_parse(given, &name, &why), 0, "%s: %s", given, why);
    cr_expect_str_eq(name.text, text);
    cr_expect_str_eq(name.parent, parent);
    cr_expect_eq(name.is_template, is_template);
}

Test(unit_name, services_templates_instances)
{
    expect_name("app", "app.service", "", false);
    expect_name("app.service", "app.service", "", false);
    expect_name("app.1", "app.1.service", "", false);
    expect_name("app@", "app@.service", "", true);
    expect_name("app@.service", "app@.service", "", true);
    expect_name("app@one", "app@one.service", "app@.service", false);
    expect_name("app@a@b", "app@a@b.service", "app@.service", false);
    expect_name("a\\x2db:c_d", "a\\x2db:c_d.service", "", false);
}

Test(unit_name, what_no_service_can_have)
{
    static const char *const given[] = {"",        "a b",     "a/b",      "a\n",       "a%b",
                                        "a.timer", "a.scope", ".service", "@.service", "\xc3\xa4"};
    char name[UNIT_NAME_BYTES + 8];
    struct unit_name untouched = {.text = "as it was"};
    const char *why;
    for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++) {
        why = NULL;
        cr_expect_eq(unit_name_parse(given[i], &untouched, &why), -EINVAL, "%s", given[i]);
        cr_expect_not_null(why);
    }
    for (size_t length = UNIT_NAME_BYTES - 12; length < UNIT_NAME_BYTES + 4; length++) {
        memset(name, 'a', length);
        name[length] = '\0';
        int wanted = length + strlen(".service") < UNIT_NAME_BYTES ? 0 : -EINVAL;
        struct unit_name parsed;
        cr_expect_eq(unit_name_parse(name, &parsed, &why), wanted, "%zu", length);
    }
    cr_expect_str_eq(untouched.text, "as it was");
}

static char seen[1024];

static int note(const struct unit_assignment *assignment, void *context)
{
    size_t length = strlen(seen);
    (void)context;
    (void)snprintf(seen + length, sizeof(seen) - length, "%u %s %s=<%s>\n", assignment->line,
                   assignment->section, assignment->key, assignment->value);
    return strcmp(assignment->key, "Stop") == 0 ? -ECANCELED : 0;
}

static void expect_parsed(const char *text, const char *wanted)
{
    seen[0] = '\0';
    cr_assert_eq(unit_syntax_parse(text, note, NULL), 0);
    cr_expect_str_eq(seen, wanted);
}

Test(unit_syntax, assignments)
{
    expect_parsed("", "");
    expect_parsed("[A]\nk=v", "2 A k=<v>\n");
    expect_parsed("k=v\n", "1  k=<v>\n");
    expect_parsed("[A]\r\n  k = v w \r\n", "2 A k=<v w>\n");
    expect_parsed("[A]\nk=\n", "2 A k=<>\n");
    expect_parsed("[A]\nk=a=b\n", "2 A k=<a=b>\n");
    expect_parsed("[A]\n# k=1\n;k=2\n  # k=3\nnothing\n[B]\nk=4", "7 B k=<4>\n");
    expect_parsed("[A]\nk=a \\\n  b\\\nc\nl=d", "2 A k=<a  b c>\n5 A l=<d>\n");
    expect_parsed("[A]\nk=a \\\n# between\n\t; too\n b\nl=c", "2 A k=<a  b>\n6 A l=<c>\n");
    expect_parsed("[A]\nk=a\\", "2 A k=<a>\n");
    expect_parsed("[A]\n\\\n\\", "");
    expect_parsed("[", "");
    expect_parsed("]\n=\n", "2  =<>\n");
}

Test(unit_syntax, the_taker_ends_it)
{
    seen[0] = '\0';
    cr_expect_eq(unit_syntax_parse("Stop=1\nk=2\n", note, NULL), -ECANCELED);
    cr_expect_str_eq(seen, "1  Stop=<1>\n");
}

static void expect_words(const char *text, const char *wanted, int end)
{
    char word[64], words[256] = "";
    int result;
    while ((result = unit_syntax_word(&text, word, sizeof(word))) == 1) {
        strcat(words, word);
        strcat(words, "|");
    }
    cr_expect_str_eq(words, wanted);
    cr_expect_eq(result, end);
}

Test(unit_syntax, words)
{
    expect_words("", "", 0);
    expect_words("  ", "", 0);
    expect_words("a  b\tc ", "a|b|c|", 0);
    expect_words("\"a b\" 'c d' e'f g'h", "a b|c d|ef gh|", 0);
    expect_words("\"it's\" 'say \"x\"'", "it's|say \"x\"|", 0);
    expect_words("a\\x41\\101\\s\\\\\\\"b", "aAA \\\"b|", 0);
    expect_words("\\q \\x4 \\x00 \\9 \\", "\\q|\\x4|\\x00|\\9|\\|", 0);
    expect_words("a \"b", "a|", -EINVAL);
    expect_words("a 'b c\\'", "a|", -EINVAL);
    char longer[80];
    memset(longer, 'x', sizeof(longer) - 1);
    longer[sizeof(longer) - 1] = '\0';
    expect_words(longer, "", -ENOBUFS);
}

Test(unit_syntax, what_is_quoted_is_read_back)
{
    static const char *const words[] = {"",   "a",     "a b",         "\"",       "'",
                                        "\\", "\\x41", "a\"b'c\\d e", "$LIB/%%i", "A=/x y"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        char text[64], word[64];
        const char *rest = text;
        cr_assert_eq(unit_syntax_quote(words[i], text, sizeof(text)), 0);
        cr_assert_eq(unit_syntax_word(&rest, word, sizeof(word)), 1, "%s", text);
        cr_expect_str_eq(word, words[i]);
        cr_expect_eq(*rest, '\0');
    }
    char small[8];
    cr_expect_eq(unit_syntax_quote("a\nb", small, sizeof(small)), -EINVAL);
    cr_expect_eq(unit_syntax_quote("0123456789", small, sizeof(small)), -ENOBUFS);
    cr_expect_eq(unit_syntax_quote("", small, 2), -ENOBUFS);
}

Test(systemd_preload, count)
{
    cr_expect_eq(systemd_preload_count(""), 0);
    cr_expect_eq(systemd_preload_count("/x/a.so:/x/mylibthpfix.so"), 0);
    cr_expect_eq(systemd_preload_count("libthpfix.so"), 1);
    cr_expect_eq(systemd_preload_count(" : /usr/$LIB/libthpfix.so:b libthpfix.so.0"), 2);
}

Test(systemd_preload, text)
{
    char *text = NULL;
    cr_assert_eq(systemd_preload_text("a.service", "/x y.so", "", &text), 0);
    cr_expect(systemd_preload_is_ours(text));
    cr_expect_not_null(strstr(text, "\nEnvironment=\"LD_PRELOAD=/x y.so\"\n"));
    cr_expect_null(strstr(text, "SystemCallFilter"));
    free(text);
    cr_assert_eq(systemd_preload_text("a.service", "/x.so", "madvise mremap", &text), 0);
    cr_expect_not_null(strstr(text, "\nSystemCallFilter=madvise mremap\n"));
    free(text);
    cr_expect_eq(systemd_preload_text("a.service", "/x\n.so", "", &text), -EINVAL);
    cr_expect_not(systemd_preload_is_ours(""));
    cr_expect_not(systemd_preload_is_ours(SYSTEMD_MARK "X"));
    cr_expect_not(systemd_preload_is_ours("\n" SYSTEMD_MARK "\n"));
}
