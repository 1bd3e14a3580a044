/* The tables are of fixed size: what comes when they are full. */
#include "shim/cli/sites_read.h"
#include "shim/sites/start.h"
#include "shim/sites/table.h"

#include <criterion/criterion.h>
#include <errno.h>

Test(sites_full, the_sites_that_are_there_are_still_found)
{
    uint64_t frame;
    table_start(1);
    for (frame = 1; frame <= TABLE_SITES; frame++) {
        cr_assert_eq(table_find_site(&frame, 1, false), frame);
    }
    cr_assert_eq(table_find_site(&frame, 1, false), 0);
    for (frame = 1; frame <= TABLE_SITES; frame++) {
        cr_assert_eq(table_find_site(&frame, 1, false), frame);
    }
    cr_assert_eq(thpfix_sites.site_count, TABLE_SITES);
}

static void *nothing(void *argument)
{
    return argument;
}

Test(sites_full, a_record_that_is_given_back_is_found)
{
    struct sites_creation creation = {0}, last;
    size_t count = 0;
    while (start_prepare(nothing, &count, 1, &creation)) {
        cr_assert_lt(count++, 1000000);
    }
    cr_assert_gt(count, 1000);
    last = creation;
    cr_assert_not(start_prepare(nothing, NULL, 1, &creation));
    cr_assert_eq(creation.start, last.start, "untouched");
    start_abandon(last.start);
    cr_assert(start_prepare(nothing, NULL, 1, &creation));
    cr_assert_eq(creation.start, last.start);
    cr_assert_not(start_prepare(nothing, NULL, 1, &creation));
}

static int check_with(struct sites head)
{
    return sites_check_head(&head);
}

Test(sites_full, what_is_no_head_is_not_believed)
{
    table_start(1);
    struct sites head = thpfix_sites;
    cr_assert_eq(check_with(head), 0);
#define EXPECT(field, value, result)                                                               \
    do {                                                                                           \
        struct sites other = head;                                                                 \
        other.field = (value);                                                                     \
        cr_expect_eq(check_with(other), (result), #field);                                         \
    } while (0)
    EXPECT(magic, 0, -EPROTO);
    EXPECT(version, SITES_VERSION + 1, -EPROTONOSUPPORT);
    EXPECT(size_bytes, 8, -EPROTO);
    EXPECT(size_bytes, sizeof(head) + 8, 0);
    EXPECT(site_bytes, sizeof(struct sites_site) - 1, -EPROTO);
    EXPECT(site_bytes, sizeof(struct sites_site) + 8, 0);
    EXPECT(site_bytes, UINT32_MAX, -EPROTO);
    EXPECT(thread_bytes, 0, -EPROTO);
    EXPECT(thread_room, UINT64_MAX, -EPROTO);
    EXPECT(site_count, UINT64_MAX, -EPROTO);
#undef EXPECT
}
