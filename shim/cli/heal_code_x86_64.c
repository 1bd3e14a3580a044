#if defined(__x86_64__)

#include "shim/cli/heal_code.h"

#include <string.h>
#include <sys/syscall.h>
#include <time.h>

/* Linux 5.11: headers that we are built with for old hosts may be older. */
#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif

/* What the kernel leaves in the result of an interrupted call, for itself to see. */
enum { RESTART_SYS = 512, RESTART_NOINTR = 513, RESTART_NOHAND = 514, RESTART_BLOCK = 516 };

#define RED_ZONE_BYTES    128
#define SYSCALL_INS_BYTES 2

const unsigned char heal_code[] = {
    0x48, 0x8b, 0x3b,                   /* again: mov (%rbx), %rdi */
    0x48, 0x8b, 0x73, 0x08,             /*        mov 8(%rbx), %rsi */
    0x48, 0x8b, 0x53, 0x10,             /*        mov 16(%rbx), %rdx */
    0x8b, 0x43, 0x18,                   /*        mov 24(%rbx), %eax */
    0x0f, 0x05,                         /*        syscall */
    0x48, 0x89, 0x43, 0x10,             /*        mov %rax, 16(%rbx) */
    0x48, 0x83, 0xc3, 0x20,             /*        add $32, %rbx */
    0x48, 0xff, 0xcd,                   /*        dec %rbp */
    0x75, 0xe3,                         /*        jnz again */
    0x31, 0xff,                         /*        xor %edi, %edi */
    0x31, 0xf6,                         /*        xor %esi, %esi */
    0x48, 0x89, 0xda,                   /*        mov %rbx, %rdx */
    0x45, 0x31, 0xd2,                   /*        xor %r10d, %r10d */
    0x41, 0xb8, 0x08, 0x00, 0x00, 0x00, /*  mov $8, %r8d */
    0xb8, 0x0f, 0x01, 0x00, 0x00,       /*        mov $SYS_ppoll, %eax */
    0x0f, 0x05,                         /*        syscall */
    0xb8, 0x8d, 0x00, 0x00, 0x00,       /*        mov $SYS_setpriority, %eax */
    0x31, 0xff,                         /*        xor %edi, %edi: PRIO_PROCESS */
    0x31, 0xf6,                         /*        xor %esi, %esi: itself */
    0x48, 0x8b, 0x53, 0x18,             /*        mov 24(%rbx), %rdx */
    0x0f, 0x05,                         /*        syscall */
    0xb8, 0x0e, 0x00, 0x00, 0x00,       /*        mov $SYS_rt_sigprocmask, %eax */
    0xbf, 0x02, 0x00, 0x00, 0x00,       /*        mov $SIG_SETMASK, %edi */
    0x48, 0x8d, 0x73, 0x10,             /*        lea 16(%rbx), %rsi */
    0x31, 0xd2,                         /*        xor %edx, %edx */
    0x41, 0xba, 0x08, 0x00, 0x00, 0x00, /*  mov $8, %r10d */
    0x0f, 0x05,                         /*        syscall */
    0x48, 0x8d, 0x63, 0x20,             /*        lea 32(%rbx), %rsp */
    0x41, 0x5f,                         /*        pop %r15 */
    0x41, 0x5e,                         /*        pop %r14 */
    0x41, 0x5d,                         /*        pop %r13 */
    0x41, 0x5c,                         /*        pop %r12 */
    0x41, 0x5b,                         /*        pop %r11 */
    0x41, 0x5a,                         /*        pop %r10 */
    0x41, 0x59,                         /*        pop %r9 */
    0x41, 0x58,                         /*        pop %r8 */
    0x5f,                               /*        pop %rdi */
    0x5e,                               /*        pop %rsi */
    0x5a,                               /*        pop %rdx */
    0x59,                               /*        pop %rcx */
    0x58,                               /*        pop %rax */
    0x5d,                               /*        pop %rbp */
    0x5b,                               /*        pop %rbx */
    0x9d,                               /*        popfq */
    0xc2, 0x80, 0x00,                   /*        ret $128: over the red zone */
    0x90, 0x90, 0x90, 0x90, 0x90, 0x90, /* nop: whole words are written */
};
const size_t heal_code_bytes = sizeof(heal_code);

/* What follows the list, in the order in which it is taken. */
struct home {
    struct timespec wait; /* until here the sender has come to see, if it lives */
    uint64_t mask;
    int64_t nice;
    uint64_t r15, r14, r13, r12, r11, r10, r9, r8, rdi, rsi, rdx, rcx, rax, rbp, rbx, flags, rip;
};
_Static_assert(sizeof(struct home) <= HEAL_HOME_BYTES, "the block holds the list and the way home");
_Static_assert(RED_ZONE_BYTES + HEAL_BLOCK_BYTES + HEAL_BELOW_BYTES + 16 <= HEAL_ROOM_BYTES,
               "nothing is written elsewhere");
_Static_assert(sizeof(heal_code) % sizeof(long) == 0, "heal_write_code writes whole words");
_Static_assert(sizeof(struct heal_call) == 32, "the instructions count on it");
_Static_assert(offsetof(struct home, mask) == 16 && offsetof(struct home, nice) == 24 &&
                   offsetof(struct home, r15) == 32,
               "the instructions count on it");

bool heal_code_supported(void)
{
    return true;
}

uint64_t heal_code_stack_pointer(const struct heal_registers *registers)
{
    return registers->general.rsp;
}

uint64_t heal_code_thread_pointer(const struct heal_registers *registers)
{
    return registers->general.fs_base;
}

bool heal_code_in_call(const struct heal_registers *registers)
{
    return (long)registers->general.orig_rax >= 0;
}

bool heal_code_inside(const struct heal_registers *registers, uint64_t code)
{
    return registers->general.rip - code < sizeof(heal_code);
}

/* A mask for the time of the call; glibc gives pselect6 one even where it is to be none. */
bool heal_code_can_leave(const struct heal_registers *registers)
{
    const struct user_regs_struct *general = &registers->general;
    switch ((long)general->orig_rax) {
    case SYS_rt_sigsuspend:
        return false;
    case SYS_ppoll:
        return general->r10 == 0;
    case SYS_pselect6:
    case SYS_io_pgetevents:
        return general->r9 == 0;
    case SYS_epoll_pwait:
    case SYS_epoll_pwait2:
        return general->r8 == 0;
    default:
        return true;
    }
}

static bool enters_again(const struct user_regs_struct *general)
{
    long error = -(long)general->rax;
    return (long)general->orig_rax >= 0 && (error == RESTART_SYS || error == RESTART_NOINTR ||
                                            error == RESTART_NOHAND || error == RESTART_BLOCK);
}

/* The registers with which the thread goes on if nobody tells the kernel of its system
 * call. */
static struct home way_home(const struct user_regs_struct *general, uint64_t mask, int nice)
{
    uint64_t rax = general->rax, rip = general->rip;
    if (enters_again(general)) {
        rip -= SYSCALL_INS_BYTES;
        rax = (long)rax == -RESTART_BLOCK ? SYS_restart_syscall : general->orig_rax;
    }
    return (struct home){
        .wait = {.tv_nsec = HEAL_WAIT_NS},
        .mask = mask,
        .nice = nice,
        .r15 = general->r15,
        .r14 = general->r14,
        .r13 = general->r13,
        .r12 = general->r12,
        .r11 = general->r11,
        .r10 = general->r10,
        .r9 = general->r9,
        .r8 = general->r8,
        .rdi = general->rdi,
        .rsi = general->rsi,
        .rdx = general->rdx,
        .rcx = general->rcx,
        .rax = rax,
        .rbp = general->rbp,
        .rbx = general->rbx,
        .flags = general->eflags,
        .rip = rip,
    };
}

size_t heal_code_prepare(const struct heal_registers *registers, uint64_t mask, int nice,
                         uint64_t code, const struct heal_call *calls, size_t count,
                         unsigned char ret_block[HEAL_BLOCK_BYTES], uint64_t *ret_address,
                         struct heal_registers *ret_registers)
{
    struct home home = way_home(&registers->general, mask, nice);
    struct user_regs_struct *sent = &ret_registers->general;
    size_t list_bytes = count * sizeof(*calls), size = list_bytes + sizeof(home);
    uint64_t address = registers->general.rsp - RED_ZONE_BYTES - size;
    memcpy(ret_block, calls, list_bytes);
    memcpy(ret_block + list_bytes, &home, sizeof(home));
    *ret_registers = *registers;
    sent->rip = code;
    sent->rbx = address;
    sent->rbp = count;
    sent->rsp = (address - HEAL_BELOW_BYTES) & ~(uint64_t)15;
    /* In no system call: the kernel has nothing to enter again. */
    sent->orig_rax = (unsigned long)-1;
    sent->rax = 0;
    *ret_address = address;
    return size;
}

#endif
