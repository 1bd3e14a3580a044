/* A guard that MADV_GUARD_INSTALL put into the middle of a range (Linux 6.13). */
#include "shim/pretouch.h"
#include "tests/unit/fixture_root.h"
#include "tests/unit/seccomp_madvise.h"

#include <criterion/criterion.h>
#include <sys/mman.h>

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif

static size_t page;

static unsigned char *map_with_guard(void)
{
    unsigned char *memory =
        mmap(NULL, 9 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(memory, MAP_FAILED);
    if (madvise(memory + 5 * page, page, MADV_GUARD_INSTALL) != 0) {
        cr_skip_test("this kernel has no MADV_GUARD_INSTALL: %s", strerror(errno));
    }
    return memory;
}

static void check(void *context)
{
    unsigned char *memory = context;
    struct pretouch_result result =
        pretouch((uintptr_t)memory, 9 * page, page, PRETOUCH_MAY_VANISH);
    CHILD_REQUIRE(result.done_bytes == 5 * page);
    CHILD_REQUIRE(result.error == -EFAULT);
    result = pretouch((uintptr_t)memory + 6 * page, 3 * page, page, PRETOUCH_MAY_VANISH);
    CHILD_REQUIRE(result.done_bytes == 3 * page && result.error == 0);
}

static void check_fallback(void *context)
{
    CHILD_REQUIRE(answer_populate(SECCOMP_RET_ERRNO | EINVAL));
    check(context);
}

Test(pretouch_guard_region, stops_at_it)
{
    page = (size_t)sysconf(_SC_PAGESIZE);
    fixture_in_child(check, map_with_guard());
}

Test(pretouch_guard_region, stops_at_it_without_the_advice)
{
    page = (size_t)sysconf(_SC_PAGESIZE);
    fixture_in_child(check_fallback, map_with_guard());
}
