#include "shim/cli/heal_scan.h"
#include "detect/process_memory.h"
#include "shim/cli/heal_trace.h"

#define PAGES_AT_ONCE 64
#define BYTES_AT_ONCE ((size_t)PAGES_AT_ONCE * 4096)

/* Adds the zero pages of a piece to the plan. Returns where to go on: behind the piece, or
 * at the page for which there was no room; or -errno. */
static int64_t plan_piece(pid_t tid, const struct process_pages *pages, uint64_t at, size_t count,
                          struct heal_plan *plan)
{
    static unsigned char bytes[BYTES_AT_ONCE];
    unsigned char resident[PAGES_AT_ONCE];
    size_t page = pages->page_bytes;
    ssize_t told = process_pages_read(pages, at, resident, count);
    for (ssize_t i = 0; i < told;) {
        ssize_t run = i;
        while (run < told && resident[run] != 0) {
            run++;
        }
        if (run > i) {
            int result =
                process_memory_read(tid, at + (uint64_t)i * page, bytes, (size_t)(run - i) * page);
            if (result != 0) {
                return result;
            }
        }
        for (ssize_t j = i; j < run; j++) {
            if (heal_plan_all_zero(bytes + (size_t)(j - i) * page, page) &&
                !heal_plan_add_page(plan, at + (uint64_t)j * page)) {
                return (int64_t)(at + (uint64_t)j * page);
            }
        }
        i = run + (run < told);
    }
    return told > 0 ? (int64_t)(at + (uint64_t)told * page) : told;
}

int heal_scan(pid_t tid, const struct process_pages *pages, const struct heal_stack *stack,
              uint64_t dead_end, uint64_t deadline_ns, uint64_t *next, struct heal_plan *plan)
{
    size_t page = pages->page_bytes;
    size_t most = BYTES_AT_ONCE / page;
    heal_plan_begin(plan, stack, page);
    while (*next < dead_end && plan->count + 1 < plan->room && heal_clock_ns() < deadline_ns) {
        size_t count = (size_t)((dead_end - *next) / page);
        count = count < most ? count : most;
        int64_t after = plan_piece(tid, pages, *next, count != 0 ? count : 1, plan);
        if (after < 0) {
            return (int)after;
        }
        if ((uint64_t)after == *next) {
            break;
        }
        *next = (uint64_t)after;
    }
    heal_plan_end(plan, stack);
    return 0;
}
