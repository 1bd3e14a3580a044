#include "shim/cli/nearest_word.h"
#include "shim/cli/shell_quote.h"
#include "shim/cli/version.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *nearest(const char *text)
{
    static const char *const words[] = {"check", "run", "help", "dry-run", "explain", "library"};
    struct nearest_word nearest;
    nearest_begin(&nearest, text);
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        nearest_offer(&nearest, words[i]);
    }
    return nearest_result(&nearest);
}

Test(nearest_word, slips_of_each_kind)
{
    static const struct {
        const char *text, *meant;
    } slips[] = {
        {"chek", "check"},     {"checkk", "check"},    {"chcek", "check"},       {"shock", "check"},
        {"rn", "run"},         {"rnu", "run"},         {"Run", "run"},           {"hlep", "help"},
        {"dryrun", "dry-run"}, {"dry_run", "dry-run"}, {"explian", "explain"},   {"exp", "explain"},
        {"lib", "library"},    {"li", "library"},      {"libraries", "library"}, {"check", "check"},
    };
    for (size_t i = 0; i < sizeof(slips) / sizeof(slips[0]); i++) {
        const char *found = nearest(slips[i].text);
        cr_assert_not_null(found, "nothing for %s", slips[i].text);
        cr_expect_str_eq(found, slips[i].meant, "%s: %s", slips[i].text, found);
    }
}

Test(nearest_word, other_words_are_no_slips)
{
    static const char *const others[] = {
        "",  "java", "status",      "xyz",
        "q", "--",   "checkpoints", "a-word-that-is-longer-than-any-of-ours-could-ever-be",
    };
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        cr_expect_null(nearest(others[i]), "%s: %s", others[i], nearest(others[i]));
    }
}

Test(nearest_word, nothing_offered)
{
    struct nearest_word none;
    nearest_begin(&none, "check");
    cr_expect_null(nearest_result(&none));
}

static void expect_quoted(const char *word, const char *quoted)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    cr_assert_not_null(stream);
    shell_quote(stream, word);
    cr_assert_eq(fclose(stream), 0);
    cr_expect_str_eq(text, quoted);
    free(text);
}

Test(shell_quote, words)
{
    expect_quoted("java", "java");
    expect_quoted("/usr/lib/x86_64-linux-gnu/libthpfix.so:%+@,._-", "/usr/lib/x86_64-linux-gnu/"
                                                                    "libthpfix.so:%+@,._-");
    expect_quoted("", "''");
    expect_quoted("a b", "'a b'");
    expect_quoted("it's", "'it'\\''s'");
    expect_quoted("'", "''\\'''");
    expect_quoted("a=b", "'a=b'");
    expect_quoted("$HOME*?[~#;&|<>()`\"\\", "'$HOME*?[~#;&|<>()`\"\\'");
    expect_quoted("a\nb", "'a\nb'");
    expect_quoted("\303\251", "'\303\251'");
}

Test(version, parsed_and_compared)
{
    struct version version = {7, 7, 7};
    static const char *const none[] = {"", "6", "6.", "6-1", ".1", "v6.1", "-6.1", " 6.1", "6.x"};
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        cr_expect_not(version_parse(none[i], &version), "%s", none[i]);
    }
    cr_expect(version.major == 7 && version.minor == 7 && version.patch == 7);
    cr_assert(version_parse("6.7.6-200.fc39", &version));
    cr_expect(version.major == 6 && version.minor == 7 && version.patch == 6);
    cr_expect(version_at_least(&version, 6, 7, 6));
    cr_expect(version_at_least(&version, 5, 99, 99));
    cr_expect(version_at_least(&version, 6, 6, 99));
    cr_expect_not(version_at_least(&version, 6, 7, 7));
    cr_expect_not(version_at_least(&version, 6, 10, 0));
    cr_expect_not(version_at_least(&version, 10, 0, 0));
    cr_assert(version_parse("2.36", &version));
    cr_expect_eq(version.patch, 0);
    cr_assert(version_parse("6.8-rc1", &version));
    cr_expect_eq(version.patch, 0);
    cr_assert(version_parse("99999999999999999999999.1", &version));
    cr_expect(version_at_least(&version, 6, 8, 0));
}
