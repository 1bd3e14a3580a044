/* Whatever the text, and however it is cut into pieces: the same mappings come out in the
 * same order, each sound in itself. */
#include "detect/smaps_parse.h"
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Not assert: that would vanish in a release build. */
#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);              \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#define STOPPED 42

/* The mappings of a run, folded into one number. */
struct run {
    size_t count;
    size_t stop_at; /* the callback ends it here; 0 never */
    uint64_t digest;
    int result;
};

static void fold(struct run *run, uint64_t number)
{
    run->digest = (run->digest ^ number) * UINT64_C(0x100000001b3);
}

static int take(const struct smaps_mapping *mapping, void *context)
{
    struct run *run = context;
    REQUIRE(mapping->start < mapping->end);
    REQUIRE(memchr(mapping->name, '\0', sizeof(mapping->name)) != NULL);
    REQUIRE(mapping->name[0] != ' ' && strchr(mapping->name, '\n') == NULL);
    REQUIRE(mapping->has_vm_flags || (!mapping->no_huge_page && !mapping->huge_page));
    REQUIRE(mapping->has_thp_eligible || !mapping->thp_eligible);
    REQUIRE(mapping->rss_bytes % 1024 == 0 && mapping->swap_bytes % 1024 == 0);

    const uint64_t numbers[] = {
        mapping->start,           mapping->end,
        mapping->offset,          mapping->inode,
        mapping->rss_bytes,       mapping->anonymous_bytes,
        mapping->anon_huge_bytes, mapping->swap_bytes,
        mapping->readable,        mapping->writable,
        mapping->executable,      mapping->shared,
        mapping->thp_eligible,    mapping->has_thp_eligible,
        mapping->has_vm_flags,    mapping->no_huge_page,
        mapping->huge_page,
    };
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        fold(run, numbers[i]);
    }
    for (const char *at = mapping->name; *at != '\0'; at++) {
        fold(run, (unsigned char)*at);
    }
    run->count++;
    return run->count == run->stop_at ? STOPPED : 0;
}

/* One piece after the other; piece sizes come from seed, 0 for all in one. Each piece
 * is copied to memory of its own size, so that a read beyond it is seen. */
static struct run parse(const char *text, size_t length, uint32_t seed, size_t stop_at)
{
    struct run run = {.stop_at = stop_at, .digest = UINT64_C(0xcbf29ce484222325)};
    struct smaps_parser parser;
    memset(&parser, 0xa5, sizeof(parser));
    smaps_parser_begin(&parser);
    for (size_t at = 0; at < length && run.result == 0;) {
        size_t piece = length - at;
        if (seed != 0) {
            seed = seed * 1664525 + 1013904223;
            size_t wanted = 1 + (seed >> 16) % ((seed >> 8) % 7 == 0 ? 700 : 40);
            piece = wanted < piece ? wanted : piece;
        }
        char *copy = malloc(piece);
        REQUIRE(copy != NULL);
        memcpy(copy, text + at, piece);
        run.result = smaps_parser_feed(&parser, copy, piece, take, &run);
        free(copy);
        at += piece;
    }
    if (run.result == 0) {
        run.result = smaps_parser_end(&parser, take, &run);
    }
    REQUIRE(run.result == 0 || run.result == -EINVAL || (run.result == STOPPED && stop_at != 0));
    return run;
}

static void require_same(const struct run *a, const struct run *b)
{
    REQUIRE(a->result == b->result && a->count == b->count && a->digest == b->digest);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* The first bytes say how the rest is cut. */
    uint32_t seed = 1;
    if (size >= sizeof(seed)) {
        memcpy(&seed, data, sizeof(seed));
        data += sizeof(seed);
        size -= sizeof(seed);
    }
    const char *text = (const char *)data;
    struct run whole = parse(text, size, 0, 0);
    struct run pieces = parse(text, size, seed | 1, 0);
    require_same(&whole, &pieces);

    /* Stopped at any mapping, it has seen just those up to there. */
    if (whole.count > 0) {
        size_t stop_at = 1 + seed % whole.count;
        struct run stopped = parse(text, size, 0, stop_at);
        struct run stopped_pieces = parse(text, size, seed | 1, stop_at);
        REQUIRE(stopped.result == STOPPED && stopped.count == stop_at);
        require_same(&stopped, &stopped_pieces);
    }
    return 0;
}
