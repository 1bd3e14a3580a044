#if !defined(__aarch64__)

#include "shim/cli/heal_settle.h"
#include "shim/cli/heal_code.h"

#include <elf.h>
#include <errno.h>

#define RESTART_NOHAND 514 /* the kernel's own: again, unless a handler ran */

void heal_look(pid_t pid, pid_t tid, struct heal_waiting *ret_waiting)
{
    (void)pid, (void)tid;
    *ret_waiting = (struct heal_waiting){.known = false};
}

/* A thread in 32-bit mode has other registers: -ENOTSUP. */
int heal_settle(pid_t tid, const struct heal_waiting *waiting, struct heal_stopped *stopped,
                struct heal_registers *ret_registers)
{
    (void)waiting;
    struct heal_registers registers;
    int result = heal_get_set(tid, NT_PRSTATUS, &registers.general, sizeof(registers.general));
    if (result != 0) {
        return result;
    }
#if defined(__x86_64__)
    if ((long)registers.general.rax == -EINTR &&
        heal_code_is_spared((long)registers.general.orig_rax)) {
        registers.general.rax = (unsigned long)-RESTART_NOHAND;
        result = heal_put_home(tid, &registers);
        if (result != 0) {
            return result;
        }
    }
#endif
    *ret_registers = registers;
    return stopped->stop == STOP_ASKED ? 0 : -EAGAIN;
}

int heal_put_home(pid_t tid, const struct heal_registers *registers)
{
    return heal_put_set(tid, NT_PRSTATUS, &registers->general, sizeof(registers->general));
}

int heal_learn(pid_t tid, uint64_t code, const struct heal_registers *registers,
               struct heal_handlers *handlers)
{
    (void)tid, (void)code, (void)registers;
    handlers->known = true;
    return 0;
}

/* What is in the registers tells the kernel of the system call still. */
void heal_enter(pid_t tid, const struct heal_registers *registers, bool moved,
                const struct heal_handlers *handlers, struct heal_stopped *stopped)
{
    (void)tid, (void)registers, (void)moved, (void)handlers, (void)stopped;
}

#endif
