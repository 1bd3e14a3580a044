/* What a bad healer would do, to see that hostile notices: stops one thread after the other
 * and changes something. bare: only stops them, so that some calls return EINTR. restart: has a
 * call that the stop has interrupted not entered again.
 *
 * spoil bare|red|stack|restart PID: until the process has ended, or 20 seconds. Exit status 0
 * when it has ended, 1 when it lives on.
 * spoil hold PID: only traces it, for as long.
 * spoil confine PROGRAM [ARGUMENT...]: runs it under a seccomp filter, which allows all.
 */
#include <dirent.h>
#include <elf.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SECONDS 20

static void write_at(pid_t tid, uint64_t address)
{
    uint64_t word = 0x5a5a5a5a5a5a5a5a;
    struct iovec local = {&word, sizeof(word)}, remote = {(void *)address, sizeof(word)};
    process_vm_writev(tid, &local, 1, &remote, 1, 0);
}

static void set_registers(pid_t tid, struct user_regs_struct *registers)
{
    struct iovec all = {registers, sizeof(*registers)};
    ptrace(PTRACE_SETREGSET, tid, NT_PRSTATUS, &all);
}

#if defined(__x86_64__)
static uint64_t stack_pointer(const struct user_regs_struct *registers)
{
    return registers->rsp;
}

/* In a system call it cannot be using what is below the stack pointer. */
static bool is_at_work(const struct user_regs_struct *registers)
{
    return (long)registers->orig_rax == -1;
}

static void forget_call(pid_t tid, struct user_regs_struct *registers)
{
    registers->orig_rax = (unsigned long)-1;
    set_registers(tid, registers);
}
#else
#define SVC 0xd4000001U

static uint64_t stack_pointer(const struct user_regs_struct *registers)
{
    return registers->sp;
}

static bool is_svc(pid_t tid, uint64_t address)
{
    uint32_t instruction = 0;
    struct iovec local = {&instruction, sizeof(instruction)};
    struct iovec remote = {(void *)address, sizeof(instruction)};
    return process_vm_readv(tid, &local, 1, &remote, 1, 0) > 0 && instruction == SVC;
}

static bool is_at_work(const struct user_regs_struct *registers)
{
    (void)registers; /* nobody uses what is below it, but the actor that looks */
    return true;
}

/* The kernel has put it before the call already. */
static void forget_call(pid_t tid, struct user_regs_struct *registers)
{
    if (is_svc(tid, registers->pc)) {
        registers->pc += sizeof(uint32_t);
        set_registers(tid, registers);
    }
}
#endif

static void spoil(pid_t tid, const char *how)
{
    struct user_regs_struct registers;
    struct iovec all = {&registers, sizeof(registers)};
    int status;

    if (ptrace(PTRACE_SEIZE, tid, 0, 0) != 0)
        return;
    ptrace(PTRACE_INTERRUPT, tid, 0, 0);
    if (waitpid(tid, &status, __WALL) != tid || !WIFSTOPPED(status))
        return;
    if (ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &all) == 0) {
        if (strcmp(how, "red") == 0 && is_at_work(&registers))
            write_at(tid, stack_pointer(&registers) - 64);
        if (strcmp(how, "stack") == 0) {
            for (uint64_t i = 0; i < 4096; i += 64)
                write_at(tid, stack_pointer(&registers) + 512 + i);
        }
        if (strcmp(how, "restart") == 0)
            forget_call(tid, &registers);
    }
    ptrace(PTRACE_DETACH, tid, 0, WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status));
}

static int confine(char **command)
{
    struct sock_filter allow[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog filter = {1, allow};

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
        return 77;
    execv(command[0], command);
    return 127;
}

int main(int argc, char **argv)
{
    char path[64];
    time_t end = time(NULL) + SECONDS;

    if (argc > 2 && strcmp(argv[1], "confine") == 0)
        return confine(argv + 2);
    if (argc != 3)
        return 2;
    if (strcmp(argv[1], "hold") == 0) {
        ptrace(PTRACE_SEIZE, atoi(argv[2]), 0, 0);
        sleep(SECONDS);
        return 0;
    }
    snprintf(path, sizeof(path), "/proc/%s/task", argv[2]);
    while (time(NULL) < end) {
        DIR *dir = opendir(path);
        struct dirent *entry;
        size_t seen = 0;
        if (!dir)
            return 0;
        while ((entry = readdir(dir)) != NULL) {
            pid_t tid = atoi(entry->d_name);
            seen += tid > 0;
            if (tid > 0 && tid != atoi(argv[2]))
                spoil(tid, argv[1]);
        }
        closedir(dir);
        if (seen < 2)
            return 0;
        /* A thread that ended in our hands stays until it is waited for. */
        while (waitpid(-1, NULL, WNOHANG | __WALL) > 0)
            continue;
    }
    return 1;
}
