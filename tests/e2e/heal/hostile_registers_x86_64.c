#if defined(__x86_64__)

/* Actors that check what lies below the stack pointer, and registers. */
#include "hostile.h"

/* Fills the red zone, waits, counts what differs. */
void step_red_zone(struct actor *actor)
{
    uint64_t wrong = 0, seed = next_random(actor) | 1;

    __asm__ volatile("movq $-128, %%rcx\n"
                     "1: movq %1, (%%rsp, %%rcx)\n"
                     "addq $8, %%rcx\n"
                     "jnz 1b\n"
                     "movq $1000000, %%rdx\n"
                     "2: decq %%rdx\n"
                     "jnz 2b\n"
                     "movq $-128, %%rcx\n"
                     "3: cmpq %1, (%%rsp, %%rcx)\n"
                     "je 4f\n"
                     "incq %0\n"
                     "4: addq $8, %%rcx\n"
                     "jnz 3b\n"
                     : "+r"(wrong)
                     : "r"(seed)
                     : "rcx", "rdx", "memory", "cc");
    must(wrong == 0, actor->name, "the red zone has changed");
}

/* Each register has a number of its own and the carry flag is set; all that differ are
 * gathered in one. rdi counts. */
void step_registers(struct actor *actor)
{
    uint64_t wrong = 0;

    __asm__ volatile("movq $101, %%rax; movq $102, %%rbx; movq $103, %%rcx; movq $104, %%rdx\n"
                     "movq $105, %%rsi; movq $108, %%r8; movq $109, %%r9; movq $110, %%r10\n"
                     "movq $111, %%r11; movq $112, %%r12; movq $113, %%r13; movq $114, %%r14\n"
                     "movq %%r8, %%xmm0; movq %%r9, %%xmm7; movq %%r10, %%xmm15\n"
                     "movq $1000000, %%rdi; stc\n"
                     "1: leaq -1(%%rdi), %%rdi; jnc 2f; xchgq %%rdi, %%rcx; jrcxz 3f\n"
                     "xchgq %%rdi, %%rcx; jmp 1b\n"
                     "2: movq $1, %%r15; jmp 4f\n"
                     "3: xchgq %%rdi, %%rcx; movq $0, %%r15; 4:\n"
                     "subq $101, %%rax; orq %%rax, %%r15; subq $102, %%rbx; orq %%rbx, %%r15\n"
                     "subq $103, %%rcx; orq %%rcx, %%r15; subq $104, %%rdx; orq %%rdx, %%r15\n"
                     "subq $105, %%rsi; orq %%rsi, %%r15; movq %%xmm0, %%rax; subq $108, %%rax\n"
                     "orq %%rax, %%r15; movq %%xmm7, %%rax; subq $109, %%rax; orq %%rax, %%r15\n"
                     "movq %%xmm15, %%rax; subq $110, %%rax; orq %%rax, %%r15\n"
                     "subq $108, %%r8; orq %%r8, %%r15; subq $109, %%r9; orq %%r9, %%r15\n"
                     "subq $110, %%r10; orq %%r10, %%r15; subq $111, %%r11; orq %%r11, %%r15\n"
                     "subq $112, %%r12; orq %%r12, %%r15; subq $113, %%r13; orq %%r13, %%r15\n"
                     "subq $114, %%r14; orq %%r14, %%r15; movq %%r15, %0\n"
                     : "=m"(wrong)
                     :
                     : "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12",
                       "r13", "r14", "r15", "xmm0", "xmm7", "xmm15", "memory", "cc");
    must(wrong == 0, actor->name, "a register has changed");
}

#endif
