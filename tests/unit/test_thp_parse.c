#include "detect/thp_parse.h"
#include <criterion/criterion.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A copy that ends where an unreadable page begins: reading one byte beyond kills. */
static const char *copy_before_fence(const char *text, size_t length)
{
    size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    cr_assert(length <= page_bytes);
    char *pages =
        mmap(NULL, 2 * page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert(pages != MAP_FAILED);
    cr_assert(mprotect(pages + page_bytes, page_bytes, PROT_NONE) == 0);
    return memcpy(pages + page_bytes - length, text, length);
}

static void assert_choice(const char *text, const char *word)
{
    size_t start = 0;
    size_t length = 0;
    cr_assert_eq(thp_parse_choice(text, strlen(text), &start, &length), 0, "'%s'", text);
    cr_assert_eq(length, strlen(word), "'%s'", text);
    cr_assert(memcmp(text + start, word, length) == 0, "'%s'", text);
}

static void assert_no_choice(const char *text, size_t length)
{
    size_t start = 77;
    size_t word_length = 88;
    enum thp_mode mode = THP_MODE_NEVER;
    cr_assert_eq(thp_parse_choice(text, length, &start, &word_length), -EINVAL, "'%.*s'",
                 (int)length, text);
    cr_assert_eq(start, 77);
    cr_assert_eq(word_length, 88);
    cr_assert_eq(thp_parse_mode(text, length, &mode), -EINVAL);
    cr_assert_eq(mode, THP_MODE_NEVER);
}

Test(thp_parse, the_word_in_brackets_is_the_choice)
{
    assert_choice("[always] madvise never\n", "always");
    assert_choice("always [madvise] never\n", "madvise");
    assert_choice("always madvise [never]\n", "never");
    assert_choice("always defer [defer+madvise] madvise never\n", "defer+madvise");
    assert_choice("always [within_size] advise never deny force\n", "within_size");
    assert_choice("[only]\n", "only");
    assert_choice("always  [madvise]  never \n", "madvise");
}

Test(thp_parse, anything_else_is_no_choice)
{
    static const char *const texts[] = {
        "",
        "\n",
        " \n",
        "always madvise never\n",
        "[always] [madvise] never\n",
        "[always] madvise [always]\n",
        "always [] never\n",
        "always [ madvise] never\n",
        "always [madvise ] never\n",
        "always [[madvise]] never\n",
        "always [madvise]] never\n",
        "always [madvise]never\n",
        "always[madvise] never\n",
        "always madvise] never\n",
        "always [madvise never\n",
        "always [madvise\n",
        "[\n",
        "]\n",
        "always [mad\nvise] never\n",
        "always [madvise] never\n\n",
        "\nalways [madvise] never\n",
        "always [madvise]\tnever\n",
        "always [madvise] n\xc3\xa9ver\n",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        assert_no_choice(texts[i], strlen(texts[i]));
    }
    assert_no_choice("always [mad\0vise] never\n", 24);
    assert_no_choice("always [madvise] never\0\n", 24);
}

/* "[always] mad" still shows a word in brackets, but whoever wrote it had more to say. */
Test(thp_parse, no_beginning_of_a_text_is_taken_for_all_of_it)
{
    static const char *const texts[] = {"[always] madvise never\n", "always [madvise] never\n",
                                        "always madvise [never]\n"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        for (size_t length = 0; length < strlen(texts[i]); length++) {
            assert_no_choice(texts[i], length);
        }
    }
}

Test(thp_parse, bytes_after_the_length_are_not_read)
{
    static const char *const texts[] = {"always [madvise] never\n",
                                        "always [madvise",
                                        "[",
                                        "a",
                                        "always [madvise]",
                                        "1234",
                                        "2097152\n",
                                        ""};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        size_t length = strlen(texts[i]);
        const char *text = copy_before_fence(texts[i], length);
        size_t start;
        size_t word_length;
        size_t number;
        (void)thp_parse_choice(text, length, &start, &word_length);
        (void)thp_parse_number(text, length, &number);
    }
}

Test(thp_parse, a_text_of_a_page_is_read_to_its_end)
{
    char text[4096];
    memset(text, 'x', sizeof(text));
    memcpy(text, "always ", 7);
    memcpy(text + sizeof(text) - 10, " [madvise]", 10);
    assert_no_choice(text, sizeof(text)); /* no newline */
    memcpy(text + sizeof(text) - 11, " [madvise]\n", 11);
    enum thp_mode mode = THP_MODE_UNKNOWN;
    cr_assert_eq(thp_parse_mode(text, sizeof(text), &mode), 0);
    cr_assert_eq(mode, THP_MODE_MADVISE);
}

Test(thp_parse, modes)
{
    static const struct {
        const char *text;
        enum thp_mode mode;
    } cases[] = {
        {"[always] madvise never\n", THP_MODE_ALWAYS},
        {"always [madvise] never\n", THP_MODE_MADVISE},
        {"always madvise [never]\n", THP_MODE_NEVER},
        {"always [inherit] madvise never\n", THP_MODE_INHERIT},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        enum thp_mode mode = THP_MODE_UNKNOWN;
        cr_assert_eq(thp_parse_mode(cases[i].text, strlen(cases[i].text), &mode), 0);
        cr_assert_eq(mode, cases[i].mode);
    }
}

Test(thp_parse, a_word_that_is_no_mode_is_none)
{
    static const char *const texts[] = {
        "always [sometimes] never\n", "always [mad] never\n",      "[always_more] never\n",
        "[ALWAYS] madvise never\n",   "always [defer] never\n",    "[unknown] always never\n",
        "[a] madvise never\n",        "always [madvise2] never\n",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        enum thp_mode mode = THP_MODE_NEVER;
        cr_assert_eq(thp_parse_mode(texts[i], strlen(texts[i]), &mode), -EINVAL, "'%s'", texts[i]);
        cr_assert_eq(mode, THP_MODE_NEVER);
    }
}

Test(thp_parse, mode_names_read_back)
{
    cr_assert_str_eq(thp_mode_name(THP_MODE_ALWAYS), "always");
    cr_assert_str_eq(thp_mode_name(THP_MODE_MADVISE), "madvise");
    cr_assert_str_eq(thp_mode_name(THP_MODE_NEVER), "never");
    cr_assert_str_eq(thp_mode_name(THP_MODE_INHERIT), "inherit");
    cr_assert_str_eq(thp_mode_name(THP_MODE_UNKNOWN), "unknown");
    cr_assert_str_eq(thp_mode_name((enum thp_mode)99), "unknown");
    cr_assert_str_eq(thp_mode_name((enum thp_mode) - 1), "unknown");
}

Test(thp_parse, numbers)
{
    size_t number = 77;
    cr_assert_eq(thp_parse_number("0\n", 2, &number), 0);
    cr_assert_eq(number, 0);
    cr_assert_eq(thp_parse_number("2097152\n", 8, &number), 0);
    cr_assert_eq(number, 2097152);
    cr_assert_eq(thp_parse_number("18446744073709551615\n", 21, &number), 0);
    cr_assert_eq(number, SIZE_MAX);
}

Test(thp_parse, what_is_no_number_leaves_the_output)
{
    static const struct {
        const char *text;
        int error;
    } cases[] = {
        {"", -EINVAL},
        {"\n", -EINVAL},
        {"2097152", -EINVAL},
        {"2097152 \n", -EINVAL},
        {" 2097152\n", -EINVAL},
        {"-1\n", -EINVAL},
        {"+1\n", -EINVAL},
        {"0x200000\n", -EINVAL},
        {"2 097\n", -EINVAL},
        {"2097152\n\n", -EINVAL},
        {"2M\n", -EINVAL},
        {"2.5\n", -EINVAL},
        {"18446744073709551616\n", -ERANGE},
        {"99999999999999999999999999999999999999999\n", -ERANGE},
        /* wraps to 0 modulo 2^64 on the way */
        {"184467440737095516160\n", -ERANGE},
        {"18446744073709551616x\n", -EINVAL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        size_t number = 77;
        cr_assert_eq(thp_parse_number(cases[i].text, strlen(cases[i].text), &number),
                     cases[i].error, "'%s'", cases[i].text);
        cr_assert_eq(number, 77);
    }
}
