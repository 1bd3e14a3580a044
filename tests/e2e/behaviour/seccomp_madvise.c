/* Under a seccomp filter that refuses madvise, threads are made and run as before. */
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/child.h"
#include "tests/e2e/behaviour/memory.h"
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static void refuse_madvise(uint16_t error)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};
    CHECK_OK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    CHECK_OK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));

    static char page[4096] __attribute__((aligned(4096)));
    errno = 0;
    CHECK_EQUAL(madvise(page, sizeof(page), MADV_NORMAL), -1);
    CHECK_EQUAL(errno, error);
}

static void *use_stack(void *argument)
{
    const size_t *stack_bytes = argument;
    struct live_stack stack;
    CHECK_EQUAL(errno, 0);
    stack_fill(*stack_bytes / 2, 0x33, NULL, NULL);
    live_stack_of_caller(&stack);
    live_stack_touch(&stack);
    return argument;
}

static void make_threads(void *error)
{
    static size_t sizes[] = {(size_t)128 << 10, (size_t)2 << 20, (size_t)8 << 20};
    refuse_madvise(*(const uint16_t *)error);
    for (int round = 0; round < 20; round++) {
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
            pthread_attr_t attr;
            make_attr(&attr, sizes[i], round % 2 == 0 ? 0 : -1);
            errno = 0;
            CHECK(run_thread(&attr, use_stack, &sizes[i]) == &sizes[i]);
            CHECK_EQUAL(errno, 0);
            CHECK_OK(pthread_attr_destroy(&attr));
        }
    }
    CHECK_EQUAL(finish(), 0);
}

static void *nothing(void *argument)
{
    return argument;
}

int main(void)
{
    static uint16_t errors[] = {EPERM, ENOSYS};
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        child_must_succeed(make_threads, &errors[i]);
    }
    run_thread(NULL, nothing, NULL);
    return finish();
}
