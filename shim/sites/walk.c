#define UNW_LOCAL_ONLY
#include "shim/sites/walk.h"

#include <libunwind.h>

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

size_t walk_stack(const void *caller, uint64_t *ret_frames, size_t room, bool *ret_cut)
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

void walk_prepare(void)
{
    uint64_t frames[4];
    bool cut;
    (void)walk_stack(NULL, frames, sizeof(frames) / sizeof(frames[0]), &cut);
}
