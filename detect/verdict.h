/* Does this process need us? A pure decision from what was read.
 *
 * Any thread, after fork, in a signal handler.
 */
#ifndef THPFIX_DETECT_VERDICT_H
#define THPFIX_DETECT_VERDICT_H

#include "detect/thp_state.h"

enum verdict_kind {
    VERDICT_UNKNOWN, /* could not tell: do nothing, and say so */
    VERDICT_ACTIVE,
    VERDICT_INERT,
};

/* X(name, word for machines, sentence for people). The words are an interface:
 * they stand in logs and JSON. Append only. */
#define VERDICT_REASONS(X)                                                                         \
    X(NOT_EVALUATED, "not-evaluated", "nothing was looked at yet")                                 \
    X(AFFECTED, "affected", "THP is always and thread stacks are not exempt")                      \
    X(NO_THP, "no-thp", "the kernel has no transparent huge pages")                                \
    X(MODE_MADVISE, "mode-madvise", "THP is madvise: stacks get no huge pages")                    \
    X(MODE_NEVER, "mode-never", "THP is never")                                                    \
    X(STACKS_EXEMPT, "stacks-exempt", "the kernel exempts thread stacks (MAP_STACK)")              \
    X(PROCESS_OPTED_OUT, "process-opted-out", "THP is disabled for this process by prctl")         \
    X(MODE_UNKNOWN, "mode-unknown", "the THP mode could not be read or understood")                \
    X(EXEMPTION_UNKNOWN, "exemption-unknown", "could not tell whether thread stacks are exempt")   \
    X(FORCED_ON, "forced-on", "THPFIX=on")                                                         \
    X(FORCED_OFF, "forced-off", "THPFIX=off")                                                      \
    X(PROGRAM_NOT_SELECTED, "program-not-selected", "excluded by THPFIX_ONLY or THPFIX_EXCLUDE")   \
    X(LIBC_UNSUPPORTED, "libc-unsupported", "the C library is not glibc")

enum verdict_reason {
#define VERDICT_REASON_ENUM(name, word, sentence) VERDICT_REASON_##name,
    VERDICT_REASONS(VERDICT_REASON_ENUM)
#undef VERDICT_REASON_ENUM
};

struct verdict {
    enum verdict_kind kind;
    enum verdict_reason reason;
};

/* Are mappings made with MAP_STACK exempt from huge pages (Linux 6.7.6, 6.8)? */
enum stack_exemption {
    STACK_EXEMPTION_UNKNOWN,
    STACK_EXPOSED,
    STACK_EXEMPT,
};

/* PR_GET_THP_DISABLE */
enum thp_optout {
    THP_OPTOUT_UNKNOWN, /* kernels before 3.15, seccomp: taken for "no", which is what those have */
    THP_OPTOUT_NO,
    THP_OPTOUT_YES,
};

struct verdict_facts {
    struct thp_policy policy;
    enum thp_optout optout;
    enum stack_exemption exemption;
};

/* The first reason that decides, in this order: no THP at all, mode, opt-out,
 * exemption. An unknown mode decides nothing: an opt-out or an exemption, which hold in
 * every mode, still do. */
struct verdict verdict_decide(const struct verdict_facts *facts);

const char *verdict_kind_name(enum verdict_kind kind);       /* "active", "inert", "unknown" */
const char *verdict_reason_word(enum verdict_reason reason); /* "mode-madvise", … */
const char *verdict_reason_sentence(enum verdict_reason reason);

#endif
