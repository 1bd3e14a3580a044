/* System calls that no other preloaded library sees, and that need no stack to speak of.
 *
 * For the few that are made while memory just below the stack pointer is being given back:
 * syscall(2) may be somebody's wrapper with frames of any depth. Returns what the kernel
 * returns: -errno on failure; errno itself stays as it is. Any thread, after fork, in a
 * signal handler.
 */
#ifndef THPFIX_SHIM_RAW_SYSCALL_H
#define THPFIX_SHIM_RAW_SYSCALL_H

static inline long raw_syscall4(long number, long first, long second, long third, long fourth)
{
#if defined(__x86_64__)
    long result;
    register long r10 __asm__("r10") = fourth;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(first), "S"(second), "d"(third), "r"(r10)
                     : "rcx", "r11", "memory");
    return result;
#elif defined(__aarch64__)
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = first;
    register long x1 __asm__("x1") = second;
    register long x2 __asm__("x2") = third;
    register long x3 __asm__("x3") = fourth;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
    return x0;
#elif defined(__i386__)
    long result;
    __asm__ volatile("int $0x80"
                     : "=a"(result)
                     : "a"(number), "b"(first), "c"(second), "d"(third), "S"(fourth)
                     : "memory");
    return result;
#else
#error "no system call instruction is known for this architecture"
#endif
}

static inline long raw_syscall3(long number, long first, long second, long third)
{
    return raw_syscall4(number, first, second, third, 0);
}

#endif
