#include "fixture_root.h"
#include "shim/cli/host_report.h"
#include "shim/cli/json_write.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

Test(host_report, releases_that_prove_the_exemption)
{
    static const char *const exempt[] = {
        "6.7.6", "6.8.0-31-generic", "6.8", "6.12.117+deb13-amd64", "7.0.0-rc1",
        "10.2",  "6.7.12-arch1-1"};
    static const char *const open[] = {
        "6.7.5", "6.7.0", "6.7", "6.7-rc3", "6.6.200", "5.14.0-503.el9", "4.18.0-553.el8", "2.6.32",
        "",      "linux", "6",   "-6.8",    "x6.8"};
    for (size_t i = 0; i < sizeof(exempt) / sizeof(exempt[0]); i++) {
        cr_expect_eq(host_report_exemption_of_release(exempt[i]), STACK_EXEMPT, "%s", exempt[i]);
    }
    for (size_t i = 0; i < sizeof(open) / sizeof(open[0]); i++) {
        cr_expect_eq(host_report_exemption_of_release(open[i]), STACK_EXEMPTION_UNKNOWN, "%s",
                     open[i]);
    }
}

static struct host_report report_of(const char *name)
{
    struct host_report report;
    int root = fixture_root_open(name);
    host_report_read(root, &report);
    (void)close(root);
    return report;
}

Test(host_report, every_verdict_has_a_headline)
{
    struct host_report report = report_of("debian-6.12");
    cr_expect_str_eq(host_report_headline(&report), "Not affected");
    cr_expect(report.recorded);
    cr_expect_eq(report.facts.optout, THP_OPTOUT_UNKNOWN, "not that of the test");
    report = report_of("no-thp");
    cr_expect_str_eq(host_report_headline(&report), "Not affected");
    cr_expect_null(host_report_meaning(&report));
    report = report_of("cut");
    cr_expect_str_eq(host_report_headline(&report), "Could not tell");
    cr_expect_not_null(host_report_meaning(&report));
    report.verdict = (struct verdict){VERDICT_ACTIVE, VERDICT_REASON_AFFECTED};
    cr_expect_str_eq(host_report_headline(&report), "Affected");
}

/* The reason why the mode is unknown may be in the file of the size. */
Test(host_report, says_how_the_mode_is_unknown)
{
    struct host_report top = report_of("no-sysfs"), size = report_of("pmd-cut");
    cr_expect_not_null(strstr(host_report_meaning(&top), "no sysfs"));
    cr_expect_not_null(strstr(host_report_meaning(&size), "does not know"));
}

Test(json_write, all_that_can_be_written)
{
    char *text = NULL;
    size_t size = 0;
    struct json_writer json = {.stream = open_memstream(&text, &size)};
    cr_assert_not_null(json.stream);
    json_open(&json, NULL, '{');
    json_string(&json, "s", "a\"b\\c\n\001\177");
    json_string(&json, "utf8", "\303\251\360\237\246\200");
    json_string(&json, "bad", "\377\300\257\355\240\200\360\237");
    json_string(&json, "none", NULL);
    json_number(&json, "n", -5);
    json_bool(&json, "b", true);
    json_null(&json, "null");
    json_open(&json, "empty", '[');
    json_close(&json, ']');
    json_open(&json, "list", '[');
    json_number(&json, NULL, 1);
    json_bool(&json, NULL, false);
    json_close(&json, ']');
    json_close(&json, '}');
    cr_assert_eq(fclose(json.stream), 0);
    cr_expect_str_eq(text,
                     "{\n"
                     "  \"s\": \"a\\\"b\\\\c\\u000a\\u0001\177\",\n"
                     "  \"utf8\": \"\303\251\360\237\246\200\",\n"
                     "  \"bad\": \"\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\",\n"
                     "  \"none\": null,\n"
                     "  \"n\": -5,\n"
                     "  \"b\": true,\n"
                     "  \"null\": null,\n"
                     "  \"empty\": [],\n"
                     "  \"list\": [\n"
                     "    1,\n"
                     "    false\n"
                     "  ]\n"
                     "}\n");
    free(text);
}
