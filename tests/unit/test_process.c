#include "detect/process.h"
#include "detect/process_parse.h"
#include "detect/process_tasks.h"
#include "tests/unit/fixture_root.h"
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#define REST_OF_STAT                                                                               \
    " 1 7 7 0 -1 4194560 11 0 0 0 3 4 0 0 20 0 5 0 987654 4096000 321 18446744073709551615\n"
#define STAT_OF_KERNEL " 2 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 22 0 0 18446744073709551615\n"

static int parse(const char *text, struct process_stat *ret_stat)
{
    return process_parse_stat(text, strlen(text), ret_stat);
}

Test(process, stat_is_understood_whatever_the_name)
{
    struct process_stat stat;
    cr_assert_eq(parse("7 (redis-server) S" REST_OF_STAT, &stat), 0);
    cr_assert_str_eq(stat.name, "redis-server");
    cr_assert_eq(stat.state, 'S');
    cr_assert_eq(stat.threads, 5);
    cr_assert_eq(stat.start_ticks, 987654);
    cr_assert_eq(stat.rss_pages, 321);
    cr_assert(!stat.kernel_thread);
    cr_assert_eq(parse("7 (a) R (b\t)\n) Z" REST_OF_STAT, &stat), 0);
    cr_assert_str_eq(stat.name, "a) R (b?)?", "control characters would reach the terminal");
    cr_assert_eq(stat.state, 'Z');
    cr_assert_eq(parse("2 (kthreadd) S" STAT_OF_KERNEL, &stat), 0);
    cr_assert(stat.kernel_thread);
}

Test(process, what_is_no_stat_is_refused)
{
    static const char *const texts[] = {
        "", "7", "7 (x", "7 x) S 1", "7 )x( S 1 2 3", "7 (x) S 1 2 3 4 5 6\n"};
    struct process_stat stat = {.state = 'u'};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        cr_assert_eq(parse(texts[i], &stat), -EINVAL, "'%s'", texts[i]);
        cr_assert_eq(stat.state, 'u', "untouched on failure");
    }
}

Test(process, status_values_are_found_by_their_whole_name)
{
    static const char text[] = "Name:\tjava\nNSpid:\t123\t4\nTgid:\t123\nXUid:\t9\nUid:\t1\t2\n";
    size_t length;
    const char *value = process_status_value(text, "NSpid", &length);
    cr_assert(value != NULL && length == 5 && memcmp(value, "123\t4", 5) == 0);
    value = process_status_value(text, "Uid", &length);
    cr_assert(value != NULL && memcmp(value, "1\t2", 3) == 0);
    cr_assert_null(process_status_value(text, "Pid", &length));
    cr_assert_null(process_status_value("", "Pid", &length));
}

static void write_stat(int root, int pid, int tid, const char *name, char state, const char *rest)
{
    char path[64];
    char text[512];
    snprintf(path, sizeof(path), "proc/%d/task/%d/stat", pid, tid);
    snprintf(text, sizeof(text), "%d (%s) %c%s", tid, name, state, rest);
    fixture_root_write(root, path, text);
}

Test(process, each_kind_of_process_is_told)
{
    char path[FIXTURE_PATH_BYTES];
    int root = fixture_root_make(path);
    struct process_identity identity = {0};

    cr_assert_eq(process_identify(root, 7, &identity), -ESRCH);
    write_stat(root, 7, 7, "java", 'S', REST_OF_STAT);
    fixture_root_write(root, "proc/7/status", "Uid:\t5\t6\t7\t8\nNSpid:\t7\t1\n");
    cr_assert_eq(process_identify(root, 7, &identity), 0);
    cr_assert_eq(identity.memory_tid, 7);
    cr_assert_eq(identity.uid, 6, "the effective one");
    cr_assert(identity.in_pid_namespace);
    cr_assert(process_still_there(root, &identity));
    identity.start_ticks++;
    cr_assert(!process_still_there(root, &identity), "another process with its PID");

    write_stat(root, 2, 2, "kthreadd", 'S', STAT_OF_KERNEL);
    cr_assert_eq(process_identify(root, 2, &identity), -ENOTSUP);

    write_stat(root, 8, 8, "gone", 'Z', REST_OF_STAT);
    cr_assert_eq(process_identify(root, 8, &identity), -ENODATA, "a zombie");

    /* main() has called pthread_exit, the rest goes on. */
    write_stat(root, 9, 9, "left", 'Z', REST_OF_STAT);
    write_stat(root, 9, 11, "left", 'S', REST_OF_STAT);
    write_stat(root, 11, 11, "left", 'S', REST_OF_STAT);
    write_stat(root, 9, 10, "left", 'Z', REST_OF_STAT);
    write_stat(root, 10, 10, "left", 'Z', REST_OF_STAT);
    cr_assert_eq(process_identify(root, 9, &identity), 0);
    cr_assert_eq(identity.memory_tid, 11);
    cr_assert(process_still_there(root, &identity));

    close(root);
    fixture_root_remove(path);
}

Test(process, tasks_are_listed_in_order)
{
    char path[FIXTURE_PATH_BYTES];
    int root = fixture_root_make(path);
    struct process_tasks tasks;
    cr_assert_eq(process_list_tasks(root, 7, &tasks), -ESRCH);
    for (int tid = 300; tid > 0; tid--) {
        char file[64];
        snprintf(file, sizeof(file), "proc/7/task/%d/comm", tid * 7);
        fixture_root_write(root, file, "a\tname\n");
    }
    fixture_root_write(root, "proc/7/task/self/comm", "no number\n");
    fixture_root_write(root, "proc/7/task/-1/comm", "no thread\n");
    cr_assert_eq(process_list_tasks(root, 7, &tasks), 0);
    cr_assert_eq(tasks.count, 300);
    for (size_t i = 0; i < tasks.count; i++) {
        cr_assert_eq(tasks.tids[i], (pid_t)(i + 1) * 7);
    }
    process_free_tasks(&tasks);
    char name[PROCESS_TASK_NAME_BYTES];
    process_task_name(root, 7, 70, name);
    cr_assert_str_eq(name, "a?name");
    process_task_name(root, 7, 71, name);
    cr_assert_str_eq(name, "");
    fixture_root_write(root, "proc/7/task/70/status", "Name:\tx\nNSpid:\t70\t9\t3\n");
    pid_t inner = 0;
    cr_assert_eq(process_task_inner_id(root, 7, 70, &inner), 0);
    cr_assert_eq(inner, 3);
    cr_assert_eq(process_task_inner_id(root, 7, 77, &inner), -ESRCH);
    close(root);
    fixture_root_remove(path);
}

Test(process, stack_pointers_of_the_kernel_s_texts)
{
    static const struct {
        const char *text;
        int result;
        uint64_t pointer;
    } cases[] = {
        {"running\n", -EBUSY, 0},
        {"202 0x7f 0x189 0x0 0x0 0x0 0xffffffff 0x7f12c0fff8d0 0x7f12c1a2b3c4\n", 0,
         0x7f12c0fff8d0},
        {"-1 0x7f12c0fff8d0 0x7f12c1a2b3c4\n", 0, 0x7f12c0fff8d0},
        {"240 0x1 0x2 0x3 0x4 0x5 0x6 0xf7d0 0xf7f1\n", 0, 0xf7d0}, /* 32 bits */
        {"-1 0x0 0x0\n", -ENODATA, 0},
        {"", -EINVAL, 0},
        {"running", -EINVAL, 0},
        {"-1\n", -EINVAL, 0},
        {"-1 zz 0x0\n", -EINVAL, 0},
        {"-1 0x12z 0x0\n", -EINVAL, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint64_t pointer = 0;
        cr_assert_eq(process_parse_syscall(cases[i].text, strlen(cases[i].text), &pointer),
                     cases[i].result, "'%s'", cases[i].text);
        cr_assert_eq(pointer, cases[i].pointer, "'%s'", cases[i].text);
    }
}
