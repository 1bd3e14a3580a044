#if defined(__aarch64__)

#include "shim/cli/heal_code.h"

#include <asm/sigcontext.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif

/* There is no red zone; hand-written code has been seen to count on one all the same. */
#define RED_ZONE_BYTES 128
#define ALIGN_BYTES    ((uint64_t)16)
/* A branch just taken that an instruction for it must follow (BTI). */
#define PSTATE_BTYPE ((uint64_t)0xc00)

/* x19: the list, x20: how many, x21: the way home. The arm64 kernel alone can put back
 * all registers, the one that holds the address to go to being among them. */
const unsigned char heal_code[] = {
    0x60, 0x06, 0x40, 0xa9, /* again: ldp x0, x1, [x19] */
    0x62, 0x22, 0x41, 0xa9, /*        ldp x2, x8, [x19, #16] */
    0x01, 0x00, 0x00, 0xd4, /*        svc #0 */
    0x60, 0x0a, 0x00, 0xf9, /*        str x0, [x19, #16] */
    0x73, 0x82, 0x00, 0x91, /*        add x19, x19, #32 */
    0x94, 0x06, 0x00, 0xf1, /*        subs x20, x20, #1 */
    0x41, 0xff, 0xff, 0x54, /*        b.ne again */
    0x00, 0x00, 0x80, 0xd2, /*        mov x0, #0 */
    0x01, 0x00, 0x80, 0xd2, /*        mov x1, #0 */
    0xe2, 0x03, 0x13, 0xaa, /*        mov x2, x19 */
    0x03, 0x00, 0x80, 0xd2, /*        mov x3, #0 */
    0x04, 0x01, 0x80, 0xd2, /*        mov x4, #8 */
    0x28, 0x09, 0x80, 0xd2, /*        mov x8, #SYS_ppoll */
    0x01, 0x00, 0x00, 0xd4, /*        svc #0 */
    0x00, 0x00, 0x80, 0xd2, /*        mov x0, #PRIO_PROCESS; x1, itself, is 0 */
    0x62, 0x0a, 0x40, 0xf9, /*        ldr x2, [x19, #16] */
    0x88, 0x11, 0x80, 0xd2, /*        mov x8, #SYS_setpriority */
    0x01, 0x00, 0x00, 0xd4, /*        svc #0 */
    0xbf, 0x02, 0x00, 0x91, /*        mov sp, x21 */
    0x68, 0x11, 0x80, 0xd2, /*        mov x8, #SYS_rt_sigreturn */
    0x01, 0x00, 0x00, 0xd4, /*        svc #0 */
    0x1f, 0x20, 0x03, 0xd5, /* nop: whole words are written */
};
const size_t heal_code_bytes = sizeof(heal_code);

/* What the kernel finds behind the list: the beginning of struct rt_sigframe. */
struct frame {
    unsigned char info[128];
    uint64_t flags, link;
    uint64_t stack, stack_flags, stack_bytes;
    uint64_t mask;
    unsigned char more_mask[120];
    _Alignas(16) uint64_t fault_address;
    uint64_t x[31], sp, pc, pstate;
    _Alignas(16) struct fpsimd_context vector;
    struct _aarch64_ctx end;
};
struct home {
    struct timespec wait; /* until here the sender has come to see, if it lives */
    int64_t nice;
    _Alignas(16) struct frame frame;
};
_Static_assert(offsetof(struct home, nice) == 16, "the instructions count on it");
_Static_assert(sizeof(struct home) + ALIGN_BYTES <= HEAL_HOME_BYTES, "the block holds it");
_Static_assert(RED_ZONE_BYTES + HEAL_BLOCK_BYTES + HEAL_BELOW_BYTES + 32 <= HEAL_ROOM_BYTES,
               "nothing is written elsewhere");
_Static_assert(sizeof(heal_code) % sizeof(long) == 0, "heal_write_code writes whole words");
_Static_assert(sizeof(struct heal_call) == 32, "the instructions count on it");

bool heal_code_supported(void)
{
    return true;
}

uint64_t heal_code_stack_pointer(const struct heal_registers *registers)
{
    return registers->general.sp;
}

uint64_t heal_code_thread_pointer(const struct heal_registers *registers)
{
    return registers->thread_pointer;
}

bool heal_code_in_call(const struct heal_registers *registers)
{
    return registers->at_call;
}

bool heal_code_inside(const struct heal_registers *registers, uint64_t code)
{
    return registers->general.pc - code < sizeof(heal_code);
}

bool heal_code_can_leave(const struct heal_registers *registers)
{
    const unsigned long long *x = registers->general.regs;
    if (registers->general.sp % ALIGN_BYTES != 0) {
        return false;
    }
    if (!registers->at_call && !registers->after_call) {
        return true;
    }
    switch (registers->call) {
    case SYS_rt_sigsuspend:
        return false;
    case SYS_ppoll:
        return x[3] == 0;
    case SYS_pselect6:
    case SYS_io_pgetevents:
        return x[5] == 0;
    case SYS_epoll_pwait:
    case SYS_epoll_pwait2:
        return x[4] == 0;
    default:
        return true;
    }
}

static void fill_frame(const struct heal_registers *registers, uint64_t mask, struct frame *frame)
{
    memset(frame, 0, sizeof(*frame));
    frame->stack_flags = 0x40; /* not valid: the alternate signal stack stays what it is */
    frame->mask = mask;
    memcpy(frame->x, registers->general.regs, sizeof(frame->x));
    if (registers->at_call) {
        /* This way home forgets what restart_syscall would go on with: from the beginning. */
        frame->x[8] = registers->call;
    }
    frame->sp = registers->general.sp;
    frame->pc = registers->general.pc;
    frame->pstate = registers->general.pstate;
    frame->vector.head = (struct _aarch64_ctx){FPSIMD_MAGIC, sizeof(frame->vector)};
    frame->vector.fpsr = registers->vector.fpsr;
    frame->vector.fpcr = registers->vector.fpcr;
    memcpy(frame->vector.vregs, registers->vector.vregs, sizeof(frame->vector.vregs));
}

size_t heal_code_prepare(const struct heal_registers *registers, uint64_t mask, int nice,
                         uint64_t code, const struct heal_call *calls, size_t count,
                         unsigned char ret_block[HEAL_BLOCK_BYTES], uint64_t *ret_address,
                         struct heal_registers *ret_registers)
{
    struct home home = {.wait = {.tv_nsec = HEAL_WAIT_NS}, .nice = nice};
    struct user_regs_struct *sent = &ret_registers->general;
    size_t list_bytes = count * sizeof(*calls), size = list_bytes + sizeof(home);
    uint64_t address = (registers->general.sp - RED_ZONE_BYTES - size) & ~(ALIGN_BYTES - 1);
    fill_frame(registers, mask, &home.frame);
    memcpy(ret_block, calls, list_bytes);
    memcpy(ret_block + list_bytes, &home, sizeof(home));
    *ret_registers = *registers;
    sent->pc = code;
    sent->pstate &= ~PSTATE_BTYPE;
    sent->regs[3] = sizeof(mask); /* for rt_sigaction; madvise takes no more than three */
    sent->regs[19] = address;
    sent->regs[20] = count;
    sent->regs[21] = address + list_bytes + offsetof(struct home, frame);
    sent->sp = (address - HEAL_BELOW_BYTES) & ~(ALIGN_BYTES - 1);
    *ret_address = address;
    return size;
}

#endif
