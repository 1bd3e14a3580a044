/* What pthread_getattr_np says of a live thread is true: every byte from the reported
 * low end to the top is there, and the byte below it is guard. */
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/memory.h"
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>

#define KIB ((size_t)1024)
#define MIB (KIB * KIB)

static sigjmp_buf after_fault;
static void *volatile fault_address;

static void on_fault(int signal_number, siginfo_t *info, void *context)
{
    (void)signal_number;
    (void)context;
    fault_address = info->si_addr;
    siglongjmp(after_fault, 1);
}

static bool write_faults(volatile unsigned char *byte)
{
    fault_address = NULL;
    if (sigsetjmp(after_fault, 1) == 0) {
        *byte = 1;
        return false;
    }
    CHECK_EQUAL((uintptr_t)fault_address, (uintptr_t)byte);
    return true;
}

struct expectation {
    size_t size_bytes;
    size_t guard_bytes; /* as asked */
};

static void *look(void *argument)
{
    const struct expectation *expected = argument;
    static unsigned char alternate[64 * KIB];
    stack_t alternate_stack = {.ss_sp = alternate, .ss_size = sizeof(alternate)};
    CHECK_OK(sigaltstack(&alternate_stack, NULL));

    struct live_stack stack;
    live_stack_of_caller(&stack);
    CHECK(stack.size_bytes >= expected->size_bytes);
    CHECK(stack.guard_bytes >= expected->guard_bytes);
    if (library_expected()) {
        const char *least = getenv("EXPECT_GUARD_BYTES"); /* with THPFIX_GUARD */
        CHECK(stack.guard_bytes >= (least != NULL ? (size_t)atol(least) : memory_page_bytes()));
    }
    live_stack_touch(&stack);
    CHECK(!write_faults(stack.low));
    /* A stack without a guard has whatever neighbour there is. */
    for (size_t below = 1; below <= stack.guard_bytes; below += memory_page_bytes()) {
        CHECK(write_faults(stack.low - below));
    }
    if (stack.guard_bytes > 0) {
        CHECK(write_faults(stack.low - stack.guard_bytes));
    }

    alternate_stack.ss_flags = SS_DISABLE;
    CHECK_OK(sigaltstack(&alternate_stack, NULL));
    return NULL;
}

int main(void)
{
    static const size_t sizes[] = {128 * KIB, MIB, 2 * MIB, 2 * MIB + 4096, 4 * MIB, 8 * MIB};
    static const size_t guards[] = {0, 4096, 64 * KIB};
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    CHECK_OK(sigaction(SIGSEGV, &action, NULL));
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        for (size_t j = 0; j < sizeof(guards) / sizeof(guards[0]); j++) {
            struct expectation expected = {sizes[i], guards[j]};
            pthread_attr_t attr;
            make_attr(&attr, sizes[i], (long)guards[j]);
            run_thread(&attr, look, &expected);
            run_thread(&attr, look, &expected);
            CHECK_OK(pthread_attr_destroy(&attr));
        }
    }
    return finish();
}
