/* What a thread is made to run: madvise, on its own stack.
 *
 * A stopped thread is sent to a few instructions which work through a list of calls that
 * lies below its stack pointer, wait a moment for whoever sent it, then put back its priority
 * and every register from the end of that list and go on where the thread was, or enter again the
 * system call in which it waited. Once it has been sent there it gets home by itself: it
 * needs nobody, should its sender die. And as it is the thread's own memory, it cannot be
 * using it meanwhile, whatever becomes of the sender. No instruction touches vector registers.
 *
 * Pure. heal_code_supported tells whether this architecture has it: x86-64 and arm64.
 */
#ifndef THPFIX_SHIM_CLI_HEAL_CODE_H
#define THPFIX_SHIM_CLI_HEAL_CODE_H

#include "shim/cli/heal_registers.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An entry of the list. The thread replaces the advice, which is positive, by what the call
 * returned, which is not. */
struct heal_call {
    uint64_t address, bytes;
    int64_t advice;
    uint64_t number; /* SYS_madvise, or another with such arguments */
};

#define HEAL_CALLS_MAX 16
/* So long it waits, the list done, to be asked to stop. */
#define HEAL_WAIT_NS 20000000
#if defined(__aarch64__)
#define HEAL_HOME_BYTES 1280
#else
#define HEAL_HOME_BYTES 192
#endif
#define HEAL_BLOCK_BYTES (HEAL_CALLS_MAX * sizeof(struct heal_call) + HEAL_HOME_BYTES)
/* Between the block and the stack pointer that it is sent with: for what calls write. */
#define HEAL_BELOW_BYTES 512
/* Below the stack pointer: the red zone, the block and what is below it. */
#define HEAL_ROOM_BYTES (HEAL_BLOCK_BYTES + HEAL_BELOW_BYTES + 256)

extern const unsigned char heal_code[];
extern const size_t heal_code_bytes;

bool heal_code_supported(void);
uint64_t heal_code_stack_pointer(const struct heal_registers *registers);
uint64_t heal_code_thread_pointer(const struct heal_registers *registers);
bool heal_code_in_call(const struct heal_registers *registers);
/* Is it there, rather than at home? */
bool heal_code_inside(const struct heal_registers *registers, uint64_t code);

/* Can the thread be sent there from where it stands? Not from a system call that has a
 * signal mask of its own, which is the kernel's to put back. */
bool heal_code_can_leave(const struct heal_registers *registers);

/* Some system calls return EINTR when the thread is merely stopped (signal(7)), although
 * they have done nothing yet. Was it one of these? */
bool heal_code_is_spared(long call);

/* Makes the list with all that comes after it, and the registers to start with. code: where
 * heal_code lies. mask: the signals that the thread blocks. nice: its own. Returns the size of
 * the block, which belongs at *ret_address. */
size_t heal_code_prepare(const struct heal_registers *registers, uint64_t mask, int nice,
                         uint64_t code, const struct heal_call *calls, size_t count,
                         unsigned char ret_block[HEAL_BLOCK_BYTES], uint64_t *ret_address,
                         struct heal_registers *ret_registers);

#endif
