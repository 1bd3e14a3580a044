#define UNW_LOCAL_ONLY
#include "shim/sites/walk.h"

#include <libunwind.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define OWN_FRAMES_MOST 8 /* between here and the program's call */

/* Addresses that are known to have unwind information, by hash: asking again for each
 * costs more than the step itself. One thread at a time. */
#define KNOWN_ROOM ((size_t)1024)
static unw_word_t known[KNOWN_ROOM];

static bool has_information(unw_cursor_t *cursor, unw_word_t address)
{
    unw_word_t *place = &known[(address ^ address >> 12) % KNOWN_ROOM];
    unw_proc_info_t information;
    if (*place == address) {
        return true;
    }
    /* Where there is none libunwind makes up a function of one byte on some architectures. */
    if (unw_get_proc_info(cursor, &information) != 0 ||
        information.end_ip <= information.start_ip + 1) {
        return false;
    }
    *place = address;
    return true;
}

/* The stack that is looked at now: may be read as it is. By the thread that looks. */
static uintptr_t stack_from, stack_to;
static pthread_t stack_owner;

static bool is_on_stack(unw_word_t address)
{
    return address >= stack_from && address < stack_to &&
           stack_to - address >= sizeof(unw_word_t) && pthread_equal(stack_owner, pthread_self());
}

/* In place of libunwind's own, which tries whether memory can be read by writing from it to
 * a pipe: the program may have closed that descriptor, and given it to something else. The
 * same to whoever else uses this libunwind in the process. */
static int access_memory(unw_addr_space_t space, unw_word_t address, unw_word_t *value, int write,
                         void *argument)
{
    (void)space;
    (void)argument;
    if (write != 0) {
        *(unw_word_t *)address = *value;
        return 0;
    }
    if (is_on_stack(address)) {
        *value = *(const unw_word_t *)address;
        return 0;
    }
    struct iovec local = {.iov_base = value, .iov_len = sizeof(*value)};
    struct iovec remote = {.iov_base = (void *)address, .iov_len = sizeof(*value)};
    long length = syscall(SYS_process_vm_readv, getpid(), &local, 1, &remote, 1, 0);
    return length == (long)sizeof(*value) ? 0 : -UNW_EINVAL;
}

static size_t walk(const void *caller, uint64_t *ret_frames, size_t room, bool *ret_cut)
{
    unw_context_t context;
    unw_cursor_t cursor;
    unw_word_t address, stack_pointer, before = 0;
    size_t count = 0;
    bool reached = false;
    *ret_cut = false;
    if (unw_getcontext(&context) != 0 || unw_init_local(&cursor, &context) != 0) {
        return 0;
    }
    for (size_t steps = 0; steps < room + OWN_FRAMES_MOST; steps++) {
        if (unw_get_reg(&cursor, UNW_REG_IP, &address) != 0 ||
            unw_get_reg(&cursor, UNW_REG_SP, &stack_pointer) != 0 || address == 0 ||
            stack_pointer < before) {
            break;
        }
        if (!reached && address == (uintptr_t)caller) {
            reached = true;
            count = 0;
        }
        if (count == room) {
            *ret_cut = true;
            break;
        }
        ret_frames[count++] = address;
        before = stack_pointer;
        if (!has_information(&cursor, address) || unw_step(&cursor) <= 0) {
            break;
        }
    }
    return count;
}

size_t walk_stack(const void *caller, uintptr_t stack_end, uint64_t *ret_frames, size_t room,
                  bool *ret_cut)
{
    stack_owner = pthread_self();
    stack_from = (uintptr_t)__builtin_frame_address(0) - WALK_STACK_BYTES;
    stack_to = stack_end;
    size_t count = walk(caller, ret_frames, room, ret_cut);
    stack_to = 0;
    return count;
}

/* libunwind opens its pipe when it starts, whether it will be used or not. It takes it well
 * when it cannot, and would open it at the first use. */
void walk_prepare(void)
{
    struct rlimit before, none = {0};
    uint64_t frames[4];
    bool cut, limited = false;
    if (getrlimit(RLIMIT_NOFILE, &before) == 0) {
        none.rlim_max = before.rlim_max;
        limited = setrlimit(RLIMIT_NOFILE, &none) == 0;
    }
    unw_get_accessors(unw_local_addr_space)->access_mem = access_memory;
    (void)walk_stack(NULL, 0, frames, sizeof(frames) / sizeof(frames[0]), &cut);
    if (limited) {
        (void)setrlimit(RLIMIT_NOFILE, &before);
    }
}
