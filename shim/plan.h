/* Decides what is asked of glibc for one thread. Pure.
 *
 * Rests on three facts. The parent's first write is at the top of the stack, so the
 * top should not lie in a whole aligned THP-size block (for certain only where the kernel
 * aligns the base; elsewhere the new thread gives back what it finds). A stack without a guard
 * merges with its neighbour, so that a block can span both. And glibc takes a guard out of the size
 * before 2.27 and adds it since, so that a guard of ours must bring its own bytes along.
 */
#ifndef THPFIX_SHIM_PLAN_H
#define THPFIX_SHIM_PLAN_H

#include <stdbool.h>
#include <stddef.h>

/* Room between the last THP boundary below the top and the top, where the kernel
 * aligns a mapping to the THP size: thread descriptor, static TLS and first frames.
 * One page is not enough: the second page of an 8 MiB stack would then be in a whole
 * block (Linux 6.7.0 to 6.7.5 align big mappings and do not exempt stacks). */
#define PLAN_TOP_CLEARANCE_BYTES ((size_t)64 * 1024)

/* Padded stacks made in a row should all have their tops at the same place between two
 * multiples of PLAN_STRIDE_PAGES pages. An odd multiple: x86-64 up to glibc 2.33 adds a page
 * where size and guard are a multiple of 64 KiB. */
#define PLAN_STRIDE_PAGES ((size_t)8)

/* A step aside leads from a boundary to where no top of the row meets one: past the page of the
 * descriptor and that of the first frames. */
#define PLAN_STEP_PAGES ((size_t)3)

struct plan_limits {
    size_t page_bytes;
    size_t thp_bytes;
    size_t guard_bytes; /* least guard wanted; at least a page */
    bool may_add_guard; /* false: the map table is nearly full, or nothing may grow */
    bool may_pad;
    bool step_aside;  /* the last tops met a boundary; see top_walk.h */
    bool user_stacks; /* THPFIX_USER_STACKS */
};

struct stack_request {
    size_t size_bytes; /* as set, decoded; what the default is where it was not set */
    size_t guard_bytes;
    bool callers_stack; /* pthread_attr_setstack */
};

struct stack_plan {
    size_t size_bytes;
    size_t guard_bytes;
    bool padded;             /* size grew to clear the top */
    bool guarded;            /* a guard was introduced or enlarged */
    bool trampoline;         /* the new thread looks after its own stack */
    bool flag_callers_stack; /* MADV_NOHUGEPAGE on the caller's stack before the start */
};

/* What to ask for instead. Never smaller than asked; where a sum would overflow, the
 * request stays as it is, and glibc answers it. */
struct stack_plan plan_stack(const struct stack_request *request, const struct plan_limits *limits);

/* What pthread_attr_setstacksize stores for a multiple of the THP size, so that creators that
 * bypass pthread_create are padded too: the size, a pad, and a mark in the lowest bits
 * by which plan_decode_size knows it again. glibc clears those bits when it makes a
 * stack (sizes are rounded down to the TLS alignment, at least 16), so the mark never shows in
 * a live thread. Sizes that are no multiple, or would overflow, are stored as they are.
 * The one size that does not survive: a program that itself asks for exactly such a
 * marked number of bytes, which is odd and no multiple of a page, reads back less. */
size_t plan_encode_size(size_t size_bytes, const struct plan_limits *limits);
size_t plan_decode_size(size_t stored_bytes, const struct plan_limits *limits);

#endif
