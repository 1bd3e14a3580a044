#if defined(__aarch64__)

#include "shim/cli/heal_spare.h"
#include "detect/process_parse.h"
#include "detect/root_read.h"
#include "shim/cli/heal_code.h"
#include "shim/cli/heal_trace.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* A thread that runs may be about to wait. */
#define LOOKS 8

#ifndef NT_ARM_SYSTEM_CALL
#define NT_ARM_SYSTEM_CALL 0x404
#endif

/* Only of a thread that waits, or has stopped. */
static struct heal_waiting read_call(pid_t tid)
{
    char path[64], text[256];
    struct heal_waiting seen = {.known = false};
    uint64_t *a = seen.arguments;
    (void)snprintf(path, sizeof(path), "/proc/%d/syscall", (int)tid);
    ssize_t size = root_read(ROOT_HOST, path, text, sizeof(text) - 1);
    text[size > 0 ? size : 0] = '\0';
    seen.known = sscanf(text, "%ld %lx %lx %lx %lx %lx %lx %lx %lx", &seen.call, &a[0], &a[1],
                        &a[2], &a[3], &a[4], &a[5], &seen.stack_pointer, &seen.pc) == 9;
    return seen;
}

void heal_look(pid_t pid, pid_t tid, struct heal_waiting *ret_waiting)
{
    static const struct timespec nap = {0, 50000};
    (void)pid;
    struct heal_waiting seen = read_call(tid);
    for (unsigned i = 1; i < LOOKS && !seen.known; i++) {
        (void)nanosleep(&nap, NULL);
        seen = read_call(tid);
    }
    *ret_waiting = seen;
}

uint64_t heal_read_signals(pid_t tid, const char *name)
{
    char path[64], text[4096];
    size_t length;
    (void)snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
    ssize_t size = root_read(ROOT_HOST, path, text, sizeof(text) - 1);
    text[size > 0 ? size : 0] = '\0';
    const char *value = process_status_value(text, name, &length);
    return value != NULL ? strtoull(value, NULL, 16) : 0;
}

/* The result has taken the place of the first argument. The kernel has kept that, and shows it
 * of a thread that is in a system call; it counts as being in none any more, until told which.
 * Should we be killed here nothing follows from it: EINTR asks for no restart. */
static int read_first_argument(pid_t tid, uint64_t call, uint64_t *ret_first)
{
    int number = (int)call, none = -1;
    int result = heal_put_set(tid, NT_ARM_SYSTEM_CALL, &number, sizeof(number));
    if (result != 0) {
        return result;
    }
    struct heal_waiting seen = read_call(tid);
    result = heal_put_set(tid, NT_ARM_SYSTEM_CALL, &none, sizeof(none));
    if (result == 0 && !seen.known) {
        result = -ENODATA;
    }
    if (result == 0) {
        *ret_first = seen.arguments[0];
    }
    return result;
}

static bool was_waiting_here(const struct heal_registers *registers, uint64_t first,
                             const struct heal_waiting *waiting)
{
    const unsigned long long *x = registers->general.regs;
    const uint64_t *a = waiting->arguments;
    return waiting->known && registers->call == (uint64_t)waiting->call &&
           registers->general.sp == waiting->stack_pointer &&
           registers->general.pc == waiting->pc && first == a[0] && x[1] == a[1] && x[2] == a[2] &&
           x[3] == a[3] && x[4] == a[4];
}

/* On the way back from a handler it looks the same: then EINTR is the program's, and what the
 * kernel has kept is of rt_sigreturn. */
static bool may_come_from_handler(pid_t tid, const struct heal_registers *registers)
{
    return !heal_code_can_leave(registers) ||
           (heal_read_signals(tid, "SigCgt") & ~heal_read_signals(tid, "SigBlk")) != 0;
}

int heal_spare(pid_t tid, const struct heal_waiting *waiting, struct heal_registers *registers)
{
    struct heal_registers again = *registers;
    uint64_t first;
    if (!registers->after_call || (int64_t)registers->general.regs[0] != -EINTR ||
        !heal_code_is_spared((long)registers->call) ||
        read_first_argument(tid, registers->call, &first) != 0 ||
        (!was_waiting_here(registers, first, waiting) && may_come_from_handler(tid, registers))) {
        return 0;
    }
    again.general.regs[0] = first;
    again.general.pc -= HEAL_SVC_BYTES;
    again.at_call = again.spared = true;
    again.after_call = false;
    int result = heal_put_home(tid, &again);
    if (result == 0) {
        *registers = again;
    }
    return result;
}

#endif
