/* Two threads in 32 bits, without a C library. With an argument: only tells whether such
 * programs run here. Else prints "ready", and waits to be ended. */
enum { SYS_EXIT = 1, SYS_WRITE = 4, SYS_PAUSE = 29, SYS_CLONE = 120 };
enum { CLONE_THREAD_FLAGS = 0x100 | 0x200 | 0x400 | 0x800 | 0x10000 | 0x40000 };

static long stack[1024];

static long call(long number, long first, long second, long third)
{
    long result;

    __asm__ volatile("int $0x80"
                     : "=a"(result)
                     : "0"(number), "b"(first), "c"(second), "d"(third)
                     : "memory");
    return result;
}

static void wait_for_ever(void)
{
    for (;;)
        call(SYS_PAUSE, 0, 0, 0);
}

/* The new thread gets here with an empty stack: it takes nothing from it. */
__attribute__((noinline)) static void start_thread(void)
{
    __asm__ volatile("int $0x80\n\t"
                     "test %%eax, %%eax\n\t"
                     "jnz 1f\n"
                     "0:\tmov %4, %%eax\n\t"
                     "int $0x80\n\t"
                     "jmp 0b\n"
                     "1:"
                     :
                     : "a"(SYS_CLONE), "b"(CLONE_THREAD_FLAGS), "c"(stack + 1024), "d"(0),
                       "i"(SYS_PAUSE), "S"(0), "D"(0)
                     : "memory", "cc");
}

__attribute__((used)) static void begin(const long *arguments)
{
    if (arguments[0] > 1)
        call(SYS_EXIT, 0, 0, 0);
    start_thread();
    call(SYS_WRITE, 1, (long)"ready\n", 6);
    wait_for_ever();
}

__asm__(".globl _start\n"
        "_start:\n\t"
        "mov %esp, %eax\n\t"
        "and $-16, %esp\n\t"
        "sub $12, %esp\n\t"
        "push %eax\n\t"
        "call begin\n");
