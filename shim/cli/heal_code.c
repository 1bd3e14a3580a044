#include "shim/cli/heal_code.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

#if defined(__x86_64__)

/* Linux 5.11: headers that we are built with for old hosts may be older. */
#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif

/* What the kernel leaves in the result of an interrupted call, for itself to see. */
enum { RESTART_SYS = 512, RESTART_NOINTR = 513, RESTART_NOHAND = 514, RESTART_BLOCK = 516 };

#define RED_ZONE_BYTES    128
#define SYSCALL_INS_BYTES 2
/* For the handler of a signal that arrives when nobody is left to hold it back. */
#define HANDLER_GAP_BYTES 256

const unsigned char heal_code[] = {
    0x48, 0x8b, 0x3b,                   /* again: mov (%rbx), %rdi */
    0x48, 0x8b, 0x73, 0x08,             /*        mov 8(%rbx), %rsi */
    0x48, 0x8b, 0x53, 0x10,             /*        mov 16(%rbx), %rdx */
    0xb8, 0x1c, 0x00, 0x00, 0x00,       /*        mov $SYS_madvise, %eax */
    0x0f, 0x05,                         /*        syscall */
    0x48, 0x89, 0x43, 0x10,             /*        mov %rax, 16(%rbx) */
    0x48, 0x83, 0xc3, 0x18,             /*        add $24, %rbx */
    0x48, 0xff, 0xcd,                   /*        dec %rbp */
    0x75, 0xe1,                         /*        jnz again */
    0xb8, 0x27, 0x00, 0x00, 0x00,       /*        mov $SYS_getpid, %eax: the marker */
    0x0f, 0x05,                         /*        syscall */
    0xb8, 0x0e, 0x00, 0x00, 0x00,       /*        mov $SYS_rt_sigprocmask, %eax */
    0xbf, 0x02, 0x00, 0x00, 0x00,       /*        mov $SIG_SETMASK, %edi */
    0x48, 0x89, 0xde,                   /*        mov %rbx, %rsi */
    0x31, 0xd2,                         /*        xor %edx, %edx */
    0x41, 0xba, 0x08, 0x00, 0x00, 0x00, /*  mov $8, %r10d */
    0x0f, 0x05,                         /*        syscall */
    0x48, 0x8d, 0x63, 0x08,             /*        lea 8(%rbx), %rsp */
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
    0x90, 0x90, 0x90, 0x90,             /* nop: whole words are written */
};
const size_t heal_code_bytes = sizeof(heal_code);
const long heal_code_marker = SYS_getpid;

/* What follows the list, in the order in which it is taken. */
struct saved {
    uint64_t mask;
    uint64_t r15, r14, r13, r12, r11, r10, r9, r8, rdi, rsi, rdx, rcx, rax, rbp, rbx, flags, rip;
};
_Static_assert(sizeof(struct saved) <= HEAL_BLOCK_BYTES - HEAL_CALLS_MAX * sizeof(struct heal_call),
               "the block holds the list and the registers");
_Static_assert(RED_ZONE_BYTES + HEAL_BLOCK_BYTES + HANDLER_GAP_BYTES + 16 <= HEAL_ROOM_BYTES,
               "nothing is written elsewhere");
_Static_assert(sizeof(heal_code) % sizeof(long) == 0, "heal_write_code writes whole words");
_Static_assert(sizeof(struct heal_call) == 24, "the instructions count on it");

bool heal_code_supported(void)
{
    return true;
}

uint64_t heal_code_stack_pointer(const struct user_regs_struct *registers)
{
    return registers->rsp;
}

uint64_t heal_code_thread_pointer(const struct user_regs_struct *registers)
{
    return registers->fs_base;
}

long heal_code_system_call(const struct user_regs_struct *registers)
{
    return (long)registers->orig_rax;
}

/* A mask for the time of the call; glibc gives pselect6 one even where it is to be none. */
static bool brings_own_mask(const struct user_regs_struct *registers)
{
    switch ((long)registers->orig_rax) {
    case SYS_rt_sigsuspend:
        return true;
    case SYS_ppoll:
        return registers->r10 != 0;
    case SYS_pselect6:
    case SYS_io_pgetevents:
        return registers->r9 != 0;
    case SYS_epoll_pwait:
    case SYS_epoll_pwait2:
        return registers->r8 != 0;
    default:
        return false;
    }
}

bool heal_code_can_leave(const struct user_regs_struct *registers)
{
    return !brings_own_mask(registers);
}

static bool enters_again(const struct user_regs_struct *registers)
{
    long error = -(long)registers->rax;
    return (long)registers->orig_rax >= 0 && (error == RESTART_SYS || error == RESTART_NOINTR ||
                                              error == RESTART_NOHAND || error == RESTART_BLOCK);
}

/* None of them has done anything yet when it returns EINTR. */
static const long spared[] = {
    SYS_epoll_wait,     SYS_epoll_pwait,     SYS_epoll_pwait2, SYS_semop,         SYS_semtimedop,
    SYS_io_uring_enter, SYS_rt_sigtimedwait, SYS_io_getevents, SYS_io_pgetevents, SYS_read,
    SYS_readv,          SYS_write,           SYS_writev,       SYS_recvfrom,      SYS_recvmsg,
    SYS_sendto,         SYS_sendmsg,         SYS_accept,       SYS_accept4,
};

bool heal_code_spare_eintr(struct user_regs_struct *registers)
{
    if ((long)registers->rax != -EINTR) {
        return false;
    }
    for (size_t i = 0; i < sizeof(spared) / sizeof(spared[0]); i++) {
        if ((long)registers->orig_rax == spared[i]) {
            registers->rax = (unsigned long)-RESTART_NOHAND;
            return true;
        }
    }
    return false;
}

/* The registers with which the thread goes on if nobody tells the kernel of its system
 * call. */
static struct saved save(const struct user_regs_struct *registers, uint64_t mask)
{
    uint64_t rax = registers->rax, rip = registers->rip;
    if (enters_again(registers)) {
        rip -= SYSCALL_INS_BYTES;
        rax = (long)rax == -RESTART_BLOCK ? SYS_restart_syscall : registers->orig_rax;
    }
    return (struct saved){
        .mask = mask,
        .r15 = registers->r15,
        .r14 = registers->r14,
        .r13 = registers->r13,
        .r12 = registers->r12,
        .r11 = registers->r11,
        .r10 = registers->r10,
        .r9 = registers->r9,
        .r8 = registers->r8,
        .rdi = registers->rdi,
        .rsi = registers->rsi,
        .rdx = registers->rdx,
        .rcx = registers->rcx,
        .rax = rax,
        .rbp = registers->rbp,
        .rbx = registers->rbx,
        .flags = registers->eflags,
        .rip = rip,
    };
}

size_t heal_code_prepare(const struct user_regs_struct *registers, uint64_t mask, uint64_t code,
                         const struct heal_call *calls, size_t count,
                         unsigned char ret_block[HEAL_BLOCK_BYTES], uint64_t *ret_address,
                         struct user_regs_struct *ret_registers)
{
    struct saved saved = save(registers, mask);
    size_t list_bytes = count * sizeof(*calls), size = list_bytes + sizeof(saved);
    uint64_t address = registers->rsp - RED_ZONE_BYTES - size;
    memcpy(ret_block, calls, list_bytes);
    memcpy(ret_block + list_bytes, &saved, sizeof(saved));
    *ret_registers = *registers;
    ret_registers->rip = code;
    ret_registers->rbx = address;
    ret_registers->rbp = count;
    ret_registers->rsp = (address - HANDLER_GAP_BYTES) & ~(uint64_t)15;
    /* In no system call: the kernel has nothing to enter again. */
    ret_registers->orig_rax = (unsigned long)-1;
    ret_registers->rax = 0;
    *ret_address = address;
    return size;
}

#else

const unsigned char heal_code[] = {0};
const size_t heal_code_bytes = 0;
const long heal_code_marker = -1;

bool heal_code_supported(void)
{
    return false;
}

uint64_t heal_code_stack_pointer(const struct user_regs_struct *registers)
{
    (void)registers;
    return 0;
}

uint64_t heal_code_thread_pointer(const struct user_regs_struct *registers)
{
    (void)registers;
    return 0;
}

long heal_code_system_call(const struct user_regs_struct *registers)
{
    (void)registers;
    return -1;
}

bool heal_code_can_leave(const struct user_regs_struct *registers)
{
    (void)registers;
    return false;
}

bool heal_code_spare_eintr(struct user_regs_struct *registers)
{
    (void)registers;
    return false;
}

size_t heal_code_prepare(const struct user_regs_struct *registers, uint64_t mask, uint64_t code,
                         const struct heal_call *calls, size_t count,
                         unsigned char ret_block[HEAL_BLOCK_BYTES], uint64_t *ret_address,
                         struct user_regs_struct *ret_registers)
{
    (void)mask, (void)code, (void)calls, (void)count, (void)ret_block;
    *ret_address = 0;
    *ret_registers = *registers;
    return 0;
}

#endif
