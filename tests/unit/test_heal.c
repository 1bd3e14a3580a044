#include "shim/cli/heal_cgroup.h"
#include "shim/cli/heal_code.h"
#include "shim/cli/heal_plan.h"
#include "shim/cli/heal_room.h"
#include <criterion/criterion.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096

static const struct heal_stack stack = {0x100000, 0x104000, 0x300000, false};

Test(heal, a_thread_is_on_its_stack_only_where_both_pointers_say_so)
{
    cr_assert(heal_plan_on_stack(&stack, 0x2f0000, 0x2ff700));
    cr_assert_not(heal_plan_on_stack(&stack, 0x104000, 0x2ff700), "in the guard");
    cr_assert_not(heal_plan_on_stack(&stack, 0x50000, 0x2ff700), "below");
    cr_assert_not(heal_plan_on_stack(&stack, 0x2ff800, 0x2ff700), "above the descriptor");
    cr_assert_not(heal_plan_on_stack(&stack, 0x2f0000, 0x400000), "another's descriptor");
    cr_assert_not(heal_plan_on_stack(&stack, 0x2f0000, 0), "no descriptor");
}

Test(heal, what_is_dead_ends_below_the_list_of_calls)
{
    uint64_t end = heal_plan_dead_end(&stack, 0x2f0010, PAGE);
    cr_assert_eq(end % PAGE, 0);
    cr_assert_leq(end, 0x2f0010 - HEAL_ROOM_BYTES);
    cr_assert_gt(end, 0x2f0010 - HEAL_ROOM_BYTES - PAGE);
    cr_assert_eq(heal_plan_dead_end(&stack, 0x104100, PAGE), 0x104000, "nothing is dead");
    cr_assert_eq(heal_plan_dead_end(&stack, 0x104001 + HEAL_ROOM_BYTES, PAGE), 0x104000);
}

Test(heal, zero_pages_that_touch_become_one_call)
{
    struct heal_call calls[8];
    struct heal_plan plan = {.calls = calls, .room = 8};
    heal_plan_begin(&plan, &stack, PAGE);
    cr_assert(heal_plan_add_page(&plan, 0x104000));
    cr_assert(heal_plan_add_page(&plan, 0x105000));
    cr_assert(heal_plan_add_page(&plan, 0x107000));
    heal_plan_end(&plan, &stack);
    static const struct heal_call expected[] = {
        {0x100000, 0x200000, MADV_NOHUGEPAGE, SYS_madvise},
        {0x104000, 0x2000, MADV_DONTNEED, SYS_madvise},
        {0x107000, 0x1000, MADV_DONTNEED, SYS_madvise},
        {0x104000, 0x1fc000, MADV_COLD, SYS_madvise},
    };
    cr_assert_eq(plan.count, 4);
    cr_assert_arr_eq(calls, expected, sizeof(expected));
    cr_assert_eq(plan.bytes, 0x3000);
}

Test(heal, a_full_plan_takes_no_more_and_is_complete)
{
    struct heal_call calls[4];
    struct heal_plan plan = {.calls = calls, .room = 4};
    heal_plan_begin(&plan, &stack, PAGE);
    cr_assert(heal_plan_add_page(&plan, 0x104000));
    cr_assert(heal_plan_add_page(&plan, 0x106000));
    cr_assert_not(heal_plan_add_page(&plan, 0x108000));
    cr_assert(heal_plan_add_page(&plan, 0x107000), "it makes the last one longer");
    heal_plan_end(&plan, &stack);
    cr_assert_eq(plan.count, 4);
    cr_assert_eq(calls[3].advice, MADV_COLD);
}

Test(heal, nothing_to_free_is_no_call_where_the_stack_is_exempt)
{
    struct heal_stack exempt = stack;
    struct heal_call calls[4];
    struct heal_plan plan = {.calls = calls, .room = 4};
    exempt.exempt = true;
    heal_plan_begin(&plan, &exempt, PAGE);
    heal_plan_end(&plan, &exempt);
    cr_assert_eq(plan.count, 0);
    heal_plan_begin(&plan, &stack, PAGE);
    heal_plan_end(&plan, &stack);
    cr_assert_eq(plan.count, 1);
}

Test(heal, one_byte_makes_a_page_stay)
{
    unsigned char page[PAGE] = {0};
    cr_assert(heal_plan_all_zero(page, PAGE));
    for (size_t i = 0; i < PAGE; i += 1365) {
        page[i] = 1;
        cr_assert_not(heal_plan_all_zero(page, PAGE));
        page[i] = 0;
    }
    page[PAGE - 1] = 0x80;
    cr_assert_not(heal_plan_all_zero(page, PAGE));
}

#ifdef __x86_64__
static struct heal_registers waiting(unsigned long number, long result)
{
    return (struct heal_registers){.general = {.rip = 0x5000,
                                               .rsp = 0x2f0000,
                                               .rax = (unsigned long)result,
                                               .orig_rax = number,
                                               .rbx = 7,
                                               .eflags = 0x246}};
}

/* What the thread finds behind the list: see heal_code. */
static uint64_t saved_word(const unsigned char *block, size_t size, size_t from_end)
{
    uint64_t word;
    memcpy(&word, block + size - from_end * sizeof(word), sizeof(word));
    return word;
}

static void expect_return(struct heal_registers registers, uint64_t rip, uint64_t rax)
{
    unsigned char block[HEAL_BLOCK_BYTES];
    struct heal_registers sent;
    struct heal_call call = {0x104000, PAGE, MADV_DONTNEED, SYS_madvise};
    uint64_t address;
    size_t size = heal_code_prepare(&registers, 0xff, 5, 0x7000, &call, 1, block, &address, &sent);
    cr_assert_eq(address + size, registers.general.rsp - 128, "it ends where the red zone does");
    cr_assert_lt(sent.general.rsp, address);
    cr_assert_geq(sent.general.rsp, registers.general.rsp - HEAL_ROOM_BYTES);
    cr_assert_eq(sent.general.rip, 0x7000);
    cr_assert_eq(sent.general.rbx, address);
    cr_assert_eq((long)sent.general.orig_rax, -1);
    cr_assert_eq(saved_word(block, size, 1), rip);
    cr_assert_eq(saved_word(block, size, 2), registers.general.eflags);
    cr_assert_eq(saved_word(block, size, 3), registers.general.rbx);
    cr_assert_eq(saved_word(block, size, 5), rax);
    cr_assert_eq(saved_word(block, size, 18), 5, "nice");
    cr_assert_eq(saved_word(block, size, 19), 0xff, "the mask");
}

Test(heal, a_thread_goes_on_where_it_was)
{
    expect_return(waiting((unsigned long)-1, 42), 0x5000, 42); /* in no system call */
    expect_return(waiting(0, 17), 0x5000, 17);                 /* read has returned */
    expect_return(waiting(0, -EAGAIN), 0x5000, (uint64_t)-EAGAIN);
    expect_return(waiting(0, -512), 0x4ffe, 0); /* read is entered again */
    expect_return(waiting(202, -513), 0x4ffe, 202);
    expect_return(waiting(34, -514), 0x4ffe, 34);
    expect_return(waiting(35, -516), 0x4ffe, 219); /* restart_syscall */
}

Test(heal, eintr_of_being_stopped_is_spared_where_a_call_has_done_nothing)
{
    cr_assert(heal_code_is_spared(SYS_epoll_wait));
    cr_assert(heal_code_is_spared(SYS_read));
    cr_assert_not(heal_code_is_spared(SYS_connect), "it goes on by itself");
    cr_assert_not(heal_code_is_spared(-1));
}

Test(heal, a_thread_is_there_only_within_the_code)
{
    struct heal_registers registers = waiting((unsigned long)-1, 0);
    cr_assert(heal_code_inside(&registers, 0x5000));
    cr_assert(heal_code_inside(&registers, 0x5000 - heal_code_bytes + 1));
    cr_assert_not(heal_code_inside(&registers, 0x5000 - heal_code_bytes));
    cr_assert_not(heal_code_inside(&registers, 0x5001));
}

Test(heal, a_mask_for_the_time_of_a_call_is_the_kernels)
{
    struct heal_registers registers = waiting(271, -514); /* ppoll */
    cr_assert(heal_code_can_leave(&registers));
    registers.general.r10 = 0x1000;
    cr_assert_not(heal_code_can_leave(&registers));
    registers = waiting(130, -514); /* sigsuspend */
    cr_assert_not(heal_code_can_leave(&registers));
}

/* The C library of this very process has room, and it is behind all of its own. */
Test(heal, there_is_room_behind_the_code_of_the_c_library)
{
    uint64_t address = 0;
    cr_assert_eq(heal_room_find(getpid(), heal_code, heal_code_bytes, &address), 0);
    const unsigned char *bytes = (const unsigned char *)(uintptr_t)address;
    cr_assert(heal_plan_all_zero(bytes, heal_code_bytes));
    unsigned char large[257] = {0};
    cr_assert_eq(heal_room_find(getpid(), large, sizeof(large), &address), -ENOSPC);
}
#endif

Test(heal, the_end_of_a_segment)
{
    struct {
        Elf64_Ehdr file;
        Elf64_Phdr segments[2];
    } headers = {.file = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64},
                          .e_phoff = sizeof(Elf64_Ehdr),
                          .e_phentsize = sizeof(Elf64_Phdr),
                          .e_phnum = 2},
                 .segments = {{.p_type = PT_LOAD, .p_flags = PF_R},
                              {.p_type = PT_LOAD,
                               .p_flags = PF_R | PF_X,
                               .p_vaddr = 0x1000,
                               .p_offset = 0x1000,
                               .p_filesz = 0x234,
                               .p_memsz = 0x234}}};
    const unsigned char *bytes = (const unsigned char *)&headers;
    uint64_t end = 1;
    cr_assert_eq(heal_room_segment_end(bytes, sizeof(headers), 0x70000, 0x71000, &end), 0);
    cr_assert_eq(end, 0x71234);
    end = 1;
    cr_assert_eq(heal_room_segment_end(bytes, sizeof(headers) - 1, 0x70000, 0x71000, &end),
                 -ENOEXEC);
    cr_assert_eq(heal_room_segment_end(bytes, 3, 0x70000, 0x71000, &end), -ENOEXEC);
    headers.segments[1].p_flags = PF_R;
    cr_assert_eq(heal_room_segment_end(bytes, sizeof(headers), 0x70000, 0x71000, &end), -ENOEXEC);
    cr_assert_eq(end, 1);
}

Test(heal, where_a_cgroup_says_what_it_takes)
{
    static const struct {
        const char *text, *path;
    } cases[] = {
        {"0::/system.slice/x.service\n", "/sys/fs/cgroup/system.slice/x.service/memory.current"},
        {"0::/\n", "/sys/fs/cgroup/memory.current"},
        {"9:memory:/a\n0::/b\n", "/sys/fs/cgroup/memory/a/memory.usage_in_bytes"},
        {"3:cpu:/a\n0::/b", "/sys/fs/cgroup/b/memory.current"},
    };
    char path[128] = "x";
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cr_assert_eq(heal_cgroup_path(cases[i].text, path, sizeof(path)), 0);
        cr_assert_str_eq(path, cases[i].path);
    }
    cr_assert_eq(heal_cgroup_path("", path, sizeof(path)), -ENOENT);
    cr_assert_eq(heal_cgroup_path("3:cpu:/a\nnonsense\n", path, sizeof(path)), -ENOENT);
    cr_assert_eq(heal_cgroup_path("0::/a\n", path, 8), -ENAMETOOLONG);
}
