#include "shim/cli/heal_code.h"

#include <sys/syscall.h>

/* Linux 5.11: headers that we are built with for old hosts may be older. */
#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif

static const long spared[] = {
#ifdef SYS_epoll_wait
    SYS_epoll_wait,
#endif
    SYS_epoll_pwait,     SYS_epoll_pwait2, SYS_semop,         SYS_semtimedop, SYS_io_uring_enter,
    SYS_rt_sigtimedwait, SYS_io_getevents, SYS_io_pgetevents, SYS_read,       SYS_readv,
    SYS_write,           SYS_writev,       SYS_recvfrom,      SYS_recvmsg,    SYS_sendto,
    SYS_sendmsg,         SYS_accept,       SYS_accept4,
};

bool heal_code_is_spared(long call)
{
    for (size_t i = 0; i < sizeof(spared) / sizeof(spared[0]); i++) {
        if (call == spared[i]) {
            return true;
        }
    }
    return false;
}

#if !defined(__x86_64__) && !defined(__aarch64__)

const unsigned char heal_code[] = {0};
const size_t heal_code_bytes = 0;

bool heal_code_supported(void)
{
    return false;
}

uint64_t heal_code_stack_pointer(const struct heal_registers *registers)
{
    (void)registers;
    return 0;
}

uint64_t heal_code_thread_pointer(const struct heal_registers *registers)
{
    (void)registers;
    return 0;
}

bool heal_code_in_call(const struct heal_registers *registers)
{
    (void)registers;
    return false;
}

bool heal_code_inside(const struct heal_registers *registers, uint64_t code)
{
    (void)registers, (void)code;
    return false;
}

bool heal_code_can_leave(const struct heal_registers *registers)
{
    (void)registers;
    return false;
}

size_t heal_code_prepare(const struct heal_registers *registers, uint64_t mask, int nice,
                         uint64_t code, const struct heal_call *calls, size_t count,
                         unsigned char ret_block[HEAL_BLOCK_BYTES], uint64_t *ret_address,
                         struct heal_registers *ret_registers)
{
    (void)mask, (void)nice, (void)code, (void)calls, (void)count, (void)ret_block;
    *ret_address = 0;
    *ret_registers = *registers;
    return 0;
}

#endif
