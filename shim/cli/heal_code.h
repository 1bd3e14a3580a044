/* What a thread is made to run: madvise, on its own stack.
 *
 * A stopped thread is sent to a few instructions which work through a list of calls that
 * lies below its stack pointer, then put back every register from the end of that list and
 * go on where the thread was, or enter again the system call in which it waited. Once it has
 * been sent there it gets home by itself: it needs nobody, should its sender die. And as
 * it is the thread's own memory, it cannot be using it meanwhile, whatever becomes of the
 * sender. No instruction touches vector registers.
 *
 * Pure. x86-64; heal_code_supported tells.
 */
#ifndef THPFIX_SHIM_CLI_HEAL_CODE_H
#define THPFIX_SHIM_CLI_HEAL_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

/* An entry of the list. The thread replaces the advice by what madvise returned. */
struct heal_call {
    uint64_t address, bytes;
    int64_t advice;
};

#define HEAL_CALLS_MAX   16
#define HEAL_BLOCK_BYTES (HEAL_CALLS_MAX * sizeof(struct heal_call) + 160)
/* Below the stack pointer: the red zone, the block, and room for a signal's first words. */
#define HEAL_ROOM_BYTES (HEAL_BLOCK_BYTES + 512)

extern const unsigned char heal_code[];
extern const size_t heal_code_bytes;
/* The last system call of the list, which does nothing: who follows the thread learns by
 * it that the list is done. */
extern const long heal_code_marker;

bool heal_code_supported(void);
uint64_t heal_code_stack_pointer(const struct user_regs_struct *registers);
uint64_t heal_code_thread_pointer(const struct user_regs_struct *registers);
long heal_code_system_call(const struct user_regs_struct *registers); /* -1: in none */

/* Can the thread be sent there from where it stands? Not from a system call that has a
 * signal mask of its own, which is the kernel's to put back. */
bool heal_code_can_leave(const struct user_regs_struct *registers);

/* Some system calls return EINTR when the thread is merely stopped (signal(7)). Makes it
 * what the kernel uses for "again, unless a handler ran". false: it is no such case, and
 * the registers are as they were. */
bool heal_code_spare_eintr(struct user_regs_struct *registers);

/* Makes the list with all that comes after it, and the registers to start with. code: where
 * heal_code lies. mask: the signals that the thread blocks. Returns the size of the block,
 * which belongs at *ret_address. */
size_t heal_code_prepare(const struct user_regs_struct *registers, uint64_t mask, uint64_t code,
                         const struct heal_call *calls, size_t count,
                         unsigned char ret_block[HEAL_BLOCK_BYTES], uint64_t *ret_address,
                         struct user_regs_struct *ret_registers);

#endif
