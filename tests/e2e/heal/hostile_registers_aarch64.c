#if defined(__aarch64__)

/* Actors that check what lies below the stack pointer, and registers. */
#include "hostile.h"

/* There is no red zone, but the healer is to keep off what would be one: nothing else writes
 * there, as all signals are blocked. */
void step_red_zone(struct actor *actor)
{
    uint64_t wrong = 0, seed = next_random(actor) | 1;

    __asm__ volatile("mov x9, #-128\n"
                     "1: str %1, [sp, x9]\n"
                     "adds x9, x9, #8\n"
                     "b.ne 1b\n"
                     "movz x10, #15, lsl #16\n"
                     "2: subs x10, x10, #1\n"
                     "b.ne 2b\n"
                     "mov x9, #-128\n"
                     "3: ldr x10, [sp, x9]\n"
                     "cmp x10, %1\n"
                     "cinc %0, %0, ne\n"
                     "adds x9, x9, #8\n"
                     "b.ne 3b\n"
                     : "+r"(wrong)
                     : "r"(seed)
                     : "x9", "x10", "memory", "cc");
    must(wrong == 0, actor->name, "the red zone has changed");
}

#define ALL_BUT_X0_AND_X29                                                                         \
    "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,30"

/* Each register has a number of its own, and the flags are those of equality; all that differ
 * are gathered in x0, which counts before. */
void step_registers(struct actor *actor)
{
    uint64_t wrong = 0;

    __asm__ volatile(".irp r, " ALL_BUT_X0_AND_X29 "\n"
                     "mov x\\r, #(100 + \\r)\n"
                     ".endr\n"
                     "fmov d0, x10\n"
                     "fmov d7, x17\n"
                     "fmov d31, x28\n"
                     "ins v7.d[1], x9\n"
                     "movz x0, #15, lsl #16\n"
                     "cmp x1, x1\n"
                     "1: b.ne 2f\n"
                     "b.cc 2f\n"
                     "sub x0, x0, #1\n"
                     "cbnz x0, 1b\n"
                     "b 3f\n"
                     "2: mov x0, #1\n"
                     "3:\n"
                     ".irp r, " ALL_BUT_X0_AND_X29 "\n"
                     "sub x\\r, x\\r, #(100 + \\r)\n"
                     "orr x0, x0, x\\r\n"
                     ".endr\n"
                     "fmov x1, d0\n"
                     "sub x1, x1, #110\n"
                     "fmov x2, d7\n"
                     "sub x2, x2, #117\n"
                     "fmov x3, d31\n"
                     "sub x3, x3, #128\n"
                     "umov x4, v7.d[1]\n"
                     "sub x4, x4, #109\n"
                     "orr x0, x0, x1\n"
                     "orr x0, x0, x2\n"
                     "orr x0, x0, x3\n"
                     "orr x0, x0, x4\n"
                     "str x0, %0\n"
                     : "=m"(wrong)
                     :
                     : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11",
                       "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21", "x22",
                       "x23", "x24", "x25", "x26", "x27", "x28", "x30", "v0", "v7", "v31", "memory",
                       "cc");
    must(wrong == 0, actor->name, "a register has changed");
}

#endif
