#include "detect/process_smaps.h"
#include "tests/unit/fixture_root.h"
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

struct seen {
    size_t count, stop_at;
    uint64_t rss_bytes;
};

static int see(const struct smaps_mapping *mapping, void *context)
{
    struct seen *seen = context;
    seen->count++;
    seen->rss_bytes += mapping->rss_bytes;
    return seen->count == seen->stop_at ? 42 : 0;
}

/* More text than is ever read ahead. */
#define MANY 40000

static char *many_mappings(void)
{
    char *text = malloc((size_t)MANY * 128);
    size_t length = 0;
    cr_assert(text != NULL);
    for (size_t i = 0; i < MANY; i++) {
        length += (size_t)sprintf(text + length,
                                  "%zx-%zx rw-p 00000000 00:00 0 \nRss:      4 kB\n"
                                  "SomethingNew:  what ever 17\n",
                                  i * 0x2000 + 0x10000, i * 0x2000 + 0x11000);
    }
    return text;
}

Test(process_smaps, all_of_a_long_text_is_handed_on)
{
    char path[FIXTURE_PATH_BYTES];
    int root = fixture_root_make(path);
    char *text = many_mappings();
    fixture_root_write(root, "proc/7/smaps", text);
    struct seen seen = {0};
    cr_assert_eq(process_read_smaps(root, 7, see, &seen), 0);
    cr_assert_eq(seen.count, MANY);
    cr_assert_eq(seen.rss_bytes, MANY * UINT64_C(4096));

    /* The callback may end it, at the start and later, and it can be done again. */
    for (size_t stop = 1; stop < MANY; stop = stop * 3 + 1) {
        seen = (struct seen){.stop_at = stop};
        cr_assert_eq(process_read_smaps(root, 7, see, &seen), 42);
        cr_assert_eq(seen.count, stop);
    }
    seen = (struct seen){0};
    cr_assert_eq(process_read_smaps(root, 7, see, &seen), 0);
    cr_assert_eq(seen.count, MANY);

    /* maps is the same text without the fields. */
    fixture_root_write(root, "proc/7/maps", text);
    seen = (struct seen){0};
    cr_assert_eq(process_read_maps(root, 7, see, &seen), 0);
    cr_assert_eq(seen.count, MANY);
    free(text);
    close(root);
    fixture_root_remove(path);
}

struct seen_ahead {
    struct seen seen;
    size_t between, stop_between;
    bool first_was_first;
};

static int see_ahead(const struct smaps_mapping *mapping, void *context)
{
    struct seen_ahead *ahead = context;
    return see(mapping, &ahead->seen);
}

static int between(void *context)
{
    struct seen_ahead *ahead = context;
    ahead->first_was_first |= ahead->between == 0 && ahead->seen.count == 0;
    if (ahead->between++ == 0) {
        usleep(20 * 1000); /* time for the reader to fill all its room */
    }
    return ahead->between == ahead->stop_between ? 43 : 0;
}

Test(process_smaps, another_thread_understands_what_this_one_reads)
{
    char path[FIXTURE_PATH_BYTES];
    int root = fixture_root_make(path);
    struct seen_ahead ahead = {0};
    cr_assert_eq(process_read_smaps_ahead(root, 7, see_ahead, between, &ahead), -ESRCH);
    char *text = many_mappings();
    fixture_root_write(root, "proc/7/smaps", text);
    free(text);
    cr_assert_eq(process_read_smaps_ahead(root, 7, see_ahead, between, &ahead), 0);
    cr_assert_eq(ahead.seen.count, MANY);
    cr_assert_eq(ahead.seen.rss_bytes, MANY * UINT64_C(4096));
    cr_assert(ahead.first_was_first);
    cr_assert_gt(ahead.between, 10);
    size_t pieces = ahead.between;
    for (size_t stop = 1; stop <= pieces; stop = stop * 2 + 1) {
        ahead = (struct seen_ahead){.stop_between = stop};
        cr_assert_eq(process_read_smaps_ahead(root, 7, see_ahead, between, &ahead), 43);
        cr_assert_eq(ahead.between, stop);
    }
    for (size_t stop = 1; stop < MANY; stop = stop * 3 + 1) {
        ahead = (struct seen_ahead){.seen.stop_at = stop};
        cr_assert_eq(process_read_smaps_ahead(root, 7, see_ahead, between, &ahead), 42);
        cr_assert_eq(ahead.seen.count, stop);
    }
    fixture_root_write(root, "proc/7/smaps", "hello\n");
    cr_assert_eq(process_read_smaps_ahead(root, 7, see_ahead, between, &ahead), -EINVAL);
    fixture_root_write(root, "proc/7/smaps", "");
    cr_assert_eq(process_read_smaps_ahead(root, 7, see_ahead, between, &ahead), -ESRCH);
    close(root);
    fixture_root_remove(path);
}

Test(process_smaps, what_has_no_memory_and_what_is_no_smaps)
{
    char path[FIXTURE_PATH_BYTES];
    int root = fixture_root_make(path);
    struct seen seen = {0};
    cr_assert_eq(process_read_smaps(root, 7, see, &seen), -ESRCH);
    cr_assert_eq(process_read_maps(root, 7, see, &seen), -ESRCH);
    fixture_root_write(root, "proc/7/smaps", "");
    fixture_root_write(root, "proc/7/maps", "");
    cr_assert_eq(process_read_smaps(root, 7, see, &seen), -ESRCH, "it has just ended");
    cr_assert_eq(process_read_maps(root, 7, see, &seen), -ESRCH);
    fixture_root_write(root, "proc/7/smaps", "hello\n");
    cr_assert_eq(process_read_smaps(root, 7, see, &seen), -EINVAL);
    close(root);
    fixture_root_remove(path);
}

Test(process_smaps, this_process)
{
    struct seen seen = {0}, maps = {0};
    cr_assert_eq(process_read_smaps(-1, getpid(), see, &seen), 0);
    cr_assert_eq(process_read_maps(-1, getpid(), see, &maps), 0);
    cr_assert_gt(seen.count, 10);
    cr_assert_gt(seen.rss_bytes, 0);
    cr_assert_eq(maps.rss_bytes, 0);
}
