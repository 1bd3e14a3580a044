/* Under a filter that kills at calls which a service usually may not make, mincore above all
 * (it is not in systemd's @system-service), threads are made, run and end as before. */
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/child.h"
#include "tests/e2e/behaviour/memory.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static void kill_at_unusual_calls(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mincore, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_move_pages, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};
    CHECK_OK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    CHECK_OK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
}

static void call_mincore(void *unused)
{
    static char page[4096] __attribute__((aligned(4096)));
    unsigned char resident;
    (void)unused;
    kill_at_unusual_calls();
    (void)mincore(page, sizeof(page), &resident);
}

static void *use_stack(void *argument)
{
    const size_t *stack_bytes = argument;
    stack_fill(*stack_bytes / 2, 0x33, NULL, NULL);
    return argument;
}

static void make_threads(void *unused)
{
    static size_t sizes[] = {(size_t)128 << 10, (size_t)2 << 20, (size_t)8 << 20};
    (void)unused;
    kill_at_unusual_calls();
    /* All positions of a top: stacks that live on let the next ones lie lower. */
    for (int round = 0; round < 200; round++) {
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
            pthread_attr_t attr;
            make_attr(&attr, sizes[i] + (size_t)(round % 16) * 4096, round % 2 == 0 ? 0 : -1);
            CHECK(run_thread(&attr, use_stack, &sizes[i]) == &sizes[i]);
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
    int status = child_run(call_mincore, NULL); /* else the rest would say nothing */
    CHECK(WIFSIGNALED(status));
    CHECK_EQUAL(WTERMSIG(status), SIGSYS);
    child_must_succeed(make_threads, NULL);
    run_thread(NULL, nothing, NULL);
    return finish();
}
