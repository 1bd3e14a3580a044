/* What a stopped thread is, beside its memory. */
#ifndef THPFIX_SHIM_CLI_HEAL_REGISTERS_H
#define THPFIX_SHIM_CLI_HEAL_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/user.h>

struct heal_registers {
    struct user_regs_struct general;
#if defined(__aarch64__)
    struct user_fpsimd_struct vector; /* the kernel's own way home takes them along */
    uint64_t thread_pointer;
    /* The kernel has put a thread that it took out of a system call before that call again,
     * and tells no more of it. */
    bool at_call;    /* the next instruction enters a system call */
    bool after_call; /* the one before it did */
    bool spared;     /* EINTR had ended the call, and it is to begin again */
    uint64_t call;   /* which, also where the register says restart_syscall */
#endif
};

#endif
