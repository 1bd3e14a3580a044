/* The parts of `thpfix heal` that are about words. */
#ifndef THPFIX_SHIM_CLI_HEAL_H
#define THPFIX_SHIM_CLI_HEAL_H

#include "shim/cli/heal_run.h"
#include "shim/cli/inspection.h"

#include <stdbool.h>
#include <stdint.h>

/* What a table of before and after is made of. */
struct heal_numbers {
    uint64_t rss_bytes, stack_rss_bytes, stack_huge_bytes, back_bytes;
    size_t not_judged;
    int64_t cgroup_bytes; /* memory.current of its group; -1: not told */
};

struct heal_report {
    struct process_identity identity;
    struct heal_numbers before, after;
    bool acted;
    struct heal_summary summary;
};

struct heal_numbers heal_numbers_of(const struct inspection *inspection);

/* Can this process be healed, as far as one can tell without touching it? 0 with the place
 * for the instructions, or -errno, the complaint being made. */
int heal_check(const struct inspection *inspection, uint64_t *ret_code_room);

/* Complains that the kernel did not permit it. */
void heal_refused_message(pid_t pid);

void heal_print_prospect(const struct heal_report *report);
void heal_print_result(const struct heal_report *report);
void heal_print_json(const struct heal_report *report);

#endif
