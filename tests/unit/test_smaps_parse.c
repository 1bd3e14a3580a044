#include "detect/smaps_parse.h"
#include "tests/unit/fixture_root.h"
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#define MAPPINGS_MOST 64

struct gathered {
    size_t count;
    size_t stop_at; /* the callback ends the parse at this one; 0 never */
    struct smaps_mapping mappings[MAPPINGS_MOST];
};

static int gather(const struct smaps_mapping *mapping, void *context)
{
    struct gathered *gathered = context;
    cr_assert(gathered->count < MAPPINGS_MOST);
    gathered->mappings[gathered->count++] = *mapping;
    return gathered->count == gathered->stop_at ? 42 : 0;
}

/* Feeds text in pieces of piece bytes, then ends. */
static int parse(const char *text, size_t piece, struct gathered *gathered)
{
    struct smaps_parser parser;
    memset(&parser, 0xa5, sizeof(parser)); /* begin must not rest on zeroed memory */
    smaps_parser_begin(&parser);
    size_t length = strlen(text);
    for (size_t at = 0; at < length; at += piece) {
        size_t now = length - at < piece ? length - at : piece;
        int result = smaps_parser_feed(&parser, text + at, now, gather, gathered);
        if (result != 0) {
            return result;
        }
    }
    return smaps_parser_end(&parser, gather, gathered);
}

static struct smaps_mapping parse_one(const char *text)
{
    struct gathered gathered = {0};
    cr_assert_eq(parse(text, strlen(text), &gathered), 0, "'%s'", text);
    cr_assert_eq(gathered.count, 1, "'%s': %zu mappings", text, gathered.count);
    return gathered.mappings[0];
}

#define HEADER "7f0000000000-7f0000200000 rw-p 00000000 00:00 0 \n"

Test(smaps_parse, a_header_in_all_its_parts)
{
    struct smaps_mapping mapping =
        parse_one("55d0c0de1000-55d0c0de3000 r-xs 0001f000 fe:01 1234567         /usr/bin/a b\n");
    cr_assert_eq(mapping.start, 0x55d0c0de1000);
    cr_assert_eq(mapping.end, 0x55d0c0de3000);
    cr_assert(mapping.readable && !mapping.writable && mapping.executable && mapping.shared);
    cr_assert_eq(mapping.offset, 0x1f000);
    cr_assert_eq(mapping.inode, 1234567);
    cr_assert_str_eq(mapping.name, "/usr/bin/a b");
    cr_assert(!mapping.has_vm_flags && !mapping.has_thp_eligible);

    mapping = parse_one(HEADER);
    cr_assert(mapping.readable && mapping.writable && !mapping.executable && !mapping.shared);
    cr_assert_str_eq(mapping.name, "");

    mapping = parse_one("ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0   [vsyscall]\n");
    cr_assert_eq(mapping.end, 0xffffffffff601000);
    cr_assert_str_eq(mapping.name, "[vsyscall]");
}

Test(smaps_parse, fields_become_bytes)
{
    struct smaps_mapping mapping = parse_one(HEADER "Size:               2048 kB\n"
                                                    "Rss:                  12 kB\n"
                                                    "Anonymous:             8 kB\n"
                                                    "AnonHugePages:      2048 kB\n"
                                                    "Swap:                  4 kB\n"
                                                    "SwapPss:              99 kB\n"
                                                    "THPeligible:           1\n"
                                                    "VmFlags: rd wr mr mw me ac hg \n");
    cr_assert_eq(mapping.rss_bytes, 12 * 1024);
    cr_assert_eq(mapping.anonymous_bytes, 8 * 1024);
    cr_assert_eq(mapping.anon_huge_bytes, 2048 * 1024);
    cr_assert_eq(mapping.swap_bytes, 4 * 1024);
    cr_assert(mapping.has_thp_eligible && mapping.thp_eligible);
    cr_assert(mapping.has_vm_flags && mapping.huge_page && !mapping.no_huge_page);
}

Test(smaps_parse, vm_flags_are_whole_words)
{
    cr_assert(parse_one(HEADER "VmFlags: rd nh sd \n").no_huge_page);
    cr_assert(parse_one(HEADER "VmFlags: nh\n").no_huge_page);
    struct smaps_mapping mapping = parse_one(HEADER "VmFlags: rnh nhx hgg xx \n");
    cr_assert(mapping.has_vm_flags && !mapping.no_huge_page && !mapping.huge_page);
    mapping = parse_one(HEADER "VmFlags:\n");
    cr_assert(mapping.has_vm_flags && !mapping.no_huge_page);
    mapping = parse_one(HEADER "XVmFlags: nh\n");
    cr_assert(!mapping.has_vm_flags && !mapping.no_huge_page);
}

Test(smaps_parse, fields_do_not_leak_into_the_next_mapping)
{
    struct gathered gathered = {0};
    cr_assert_eq(parse(HEADER "Rss: 4 kB\nTHPeligible: 1\nVmFlags: nh \n"
                              "7f0000200000-7f0000400000 rw-p 00000000 00:00 0 \n",
                       7, &gathered),
                 0);
    cr_assert_eq(gathered.count, 2);
    cr_assert(gathered.mappings[0].no_huge_page);
    cr_assert_eq(gathered.mappings[1].rss_bytes, 0);
    cr_assert(!gathered.mappings[1].has_vm_flags && !gathered.mappings[1].no_huge_page);
    cr_assert(!gathered.mappings[1].has_thp_eligible);
}

Test(smaps_parse, unknown_and_odd_fields_are_skipped)
{
    struct smaps_mapping mapping = parse_one(HEADER "Future:   12 MB of something\n"
                                                    "Rss: many kB\n"
                                                    "Rss: 4 MB\n"
                                                    "Rss: 18446744073709551615 kB\n"
                                                    "Rss:99999999999999999999999 kB\n"
                                                    "no colon at all\n"
                                                    "\n"
                                                    "THPeligible: perhaps\n"
                                                    "Anonymous: 4 kB\n");
    cr_assert_eq(mapping.rss_bytes, 0);
    cr_assert(!mapping.has_thp_eligible);
    cr_assert_eq(mapping.anonymous_bytes, 4096);
}

Test(smaps_parse, what_is_not_smaps_is_refused)
{
    static const char *const texts[] = {
        "Rss: 4 kB\n",
        "\n",
        "hello\n",
        "7f00-7f01\n",
        "7f00-7f01 rw-p\n",
        "7f01-7f00 rw-p 00000000 00:00 0 \n", /* ends before it starts */
        "7f00-7f00 rw-p 00000000 00:00 0 \n",
        "7f00-7f01 rwxq 00000000 00:00 0 \n",
        "7f00-7f01 wr-p 00000000 00:00 0 \n",
        "7f00-7f01 rw-p 00000000 0000 0 \n",
        "7f00-7f01 rw-p 00000000 00:00 0x\n",
        "11112222333344445-11112222333344446 rw-p 00000000 00:00 0 \n", /* 17 digits */
        HEADER "7f00- rw-p 00000000 00:00 0 \n",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct gathered gathered = {0};
        cr_assert_eq(parse(texts[i], strlen(texts[i]), &gathered), -EINVAL, "'%s'", texts[i]);
        cr_assert_leq(gathered.count, 1);
    }
    struct gathered gathered = {0};
    cr_assert_eq(parse("", 1, &gathered), 0);
    cr_assert_eq(gathered.count, 0);
}

Test(smaps_parse, a_mapping_cut_in_a_line_is_not_handed_out)
{
    struct gathered gathered = {0};
    cr_assert_eq(parse(HEADER "VmFlags: rd wr", 5, &gathered), 0);
    cr_assert_eq(gathered.count, 0);
    cr_assert_eq(parse("7f0000000000-7f00002000", 5, &gathered), 0);
    cr_assert_eq(gathered.count, 0);
}

Test(smaps_parse, long_lines)
{
    char text[4096];
    char name[2000];
    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    snprintf(text, sizeof(text), "1000-2000 r--p 00000000 fe:00 7    /%s\nRss: 4 kB\n", name);
    struct smaps_mapping mapping = parse_one(text);
    cr_assert_eq(strlen(mapping.name), sizeof(mapping.name) - 1);
    cr_assert_eq(mapping.inode, 7);
    cr_assert_eq(mapping.rss_bytes, 4096, "the line after a long one is read");

    /* A list of flags whose end is lost could have named nh there. */
    snprintf(text, sizeof(text), HEADER "VmFlags: rd %s nh\nRss: 4 kB\n", name);
    mapping = parse_one(text);
    cr_assert(!mapping.has_vm_flags);
    cr_assert_eq(mapping.rss_bytes, 4096);
}

Test(smaps_parse, the_callback_can_end_it)
{
    struct gathered gathered = {.stop_at = 1};
    cr_assert_eq(
        parse(HEADER "Rss: 4 kB\n7f0000200000-7f0000400000 rw-p 00000000 00:00 0 \n", 3, &gathered),
        42);
    cr_assert_eq(gathered.count, 1);
    gathered = (struct gathered){.stop_at = 1};
    cr_assert_eq(parse(HEADER "Rss: 4 kB\n", 3, &gathered), 42, "also at the end");
}

Test(smaps_parse, recordings_read_the_same_in_pieces_of_any_size)
{
    static const struct {
        const char *root;
        bool probe_no_huge_page;
    } cases[] = {
        {"debian-5.10", false}, {"debian-6.1", false}, {"debian-6.12", true}, {"linux-6.18", true}};
    static struct gathered whole;
    static struct gathered pieces;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char *text = fixture_root_text(cases[i].root, "proc/self/smaps");
        memset(&whole, 0, sizeof(whole));
        cr_assert_eq(parse(text, strlen(text), &whole), 0);
        cr_assert_gt(whole.count, 20);
        cr_assert(whole.mappings[0].has_vm_flags && whole.mappings[0].has_thp_eligible);
        cr_assert_eq(whole.mappings[0].no_huge_page, cases[i].probe_no_huge_page);
        cr_assert_str_eq(whole.mappings[2].name, "/usr/bin/record");
        for (size_t piece = 1; piece < 1500; piece += piece < 70 ? 1 : 97) {
            memset(&pieces, 0, sizeof(pieces));
            cr_assert_eq(parse(text, piece, &pieces), 0);
            cr_assert_eq(pieces.count, whole.count);
            cr_assert(memcmp(&pieces, &whole, sizeof(whole)) == 0, "%s in pieces of %zu",
                      cases[i].root, piece);
        }
        free(text);
    }
}

Test(smaps_parse, what_only_looks_like_a_line_of_a_size)
{
    /* The length and the ending of a size, but two lines, or a header. */
    struct smaps_mapping mapping = parse_one(HEADER "Pss:\nRss:             12 kB\n"
                                                    "Swap:\nAnonymous:       8 kB\n");
    cr_assert_eq(mapping.rss_bytes, 12 * 1024);
    cr_assert_eq(mapping.anonymous_bytes, 8 * 1024);

    struct gathered gathered = {0};
    cr_assert_eq(parse(HEADER "8000-9000 rw-p 0 0:0 0   kB\n", 4096, &gathered), 0);
    cr_assert_eq(gathered.count, 2);
    cr_assert_str_eq(gathered.mappings[1].name, "kB");

    /* More digits than the kernel's columns have room for. */
    mapping = parse_one(HEADER "Rss:             123456789 kB\nSwap:                  1 kB\n");
    cr_assert_eq(mapping.rss_bytes, UINT64_C(123456789) * 1024);
    cr_assert_eq(mapping.swap_bytes, 1024);

    /* Flags of the length and with the ending of a size. */
    mapping = parse_one(HEADER "VmFlags: rd nh          0 kB\n");
    cr_assert(mapping.has_vm_flags && mapping.no_huge_page);
    mapping = parse_one(HEADER "VmFlags: rd nh         0 kB\n");
    cr_assert(mapping.has_vm_flags && mapping.no_huge_page);
}
