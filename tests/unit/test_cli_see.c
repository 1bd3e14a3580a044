#include "shim/cli/counters_read.h"
#include "shim/cli/elf_symbols.h"
#include "shim/cli/glibc_layout.h"
#include "shim/cli/inspection.h"
#include "shim/cli/prometheus.h"
#include "shim/cli/stack_map.h"
#include "shim/cli/text_size.h"
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

Test(cli_see, sizes_for_people)
{
    static const struct {
        uint64_t bytes;
        const char *text;
    } cases[] = {
        {0, "0"},           {1023, "1023"},   {1024, "1K"},         {1536, "1.5K"},
        {4096, "4K"},       {102400, "100K"}, {103000, "100K"},     {2097152, "2M"},
        {3 << 20, "3M"},    {1 << 30, "1G"},  {1610612736, "1.5G"}, {UINT64_MAX, "15.9E"},
        {1048575, "1023K"},
    };
    char text[TEXT_SIZE_BYTES];
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        text_size(cases[i].bytes, text);
        cr_assert_str_eq(text, cases[i].text);
    }
}

static char *sample(const char *label)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    struct prometheus_label labels[] = {{"pid", "1"}, {"command", label}, {NULL, NULL}};
    prometheus_sample(stream, "m_bytes", labels, 7);
    fclose(stream);
    return text;
}

Test(cli_see, metrics_are_escaped)
{
    static const struct {
        const char *label, *line;
    } cases[] = {
        {"java", "m_bytes{pid=\"1\",command=\"java\"} 7\n"},
        {"a\"b\\c\nd", "m_bytes{pid=\"1\",command=\"a\\\"b\\\\c\\nd\"} 7\n"},
        {"gr\xc3\xbc\xc3\x9f", "m_bytes{pid=\"1\",command=\"gr\xc3\xbc\xc3\x9f\"} 7\n"},
        {"cut \xc3", "m_bytes{pid=\"1\",command=\"cut ?\"} 7\n"},
        {"\xff\xe0\x80\x80", "m_bytes{pid=\"1\",command=\"????\"} 7\n"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char *line = sample(cases[i].label);
        cr_assert_str_eq(line, cases[i].line);
        free(line);
    }
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    prometheus_metric(stream, "m_bytes", "gauge", "What it is.");
    prometheus_sample(stream, "m_bytes", NULL, UINT64_MAX);
    fclose(stream);
    cr_assert_str_eq(text, "# HELP m_bytes What it is.\n# TYPE m_bytes gauge\n"
                           "m_bytes 18446744073709551615\n");
    free(text);
}

Test(cli_see, pictures_of_stacks)
{
    unsigned char resident[96] = {0}, huge[96] = {0};
    char cells[STACK_MAP_CELLS + 1];
    struct stack_pages pages = {resident, huge, 96, 4096};
    struct process_stack stack = {
        .origin = STACK_GLIBC, .base = 0x10000, .end = 0x10000 + 96 * 4096, .guard_bytes = 4096};
    stack_map_draw(&stack, &pages, cells);
    cr_assert_str_eq(cells, "x...............................................");
    resident[95] = resident[94] = resident[92] = 1;
    memset(huge + 48, 1, 10);
    stack.depth = DEPTH_TOLD;
    stack.pointer = 0x10000 + 95 * 4096 + 8;
    stack_map_draw(&stack, &pages, cells);
    cr_assert_str_eq(cells, "x.......................#####.................=|");
    /* Fewer pages than cells: each shows in all cells it covers. */
    struct stack_pages few = {(const unsigned char[]){0, 1}, huge, 2, 65536};
    stack = (struct process_stack){.base = 0x10000, .end = 0x30000};
    stack_map_draw(&stack, &few, cells);
    cr_assert_str_eq(cells, "........................========================");
}

Test(cli_see, colour_is_for_terminals)
{
    cr_assert_eq(stack_map_colour("always"), 1);
    cr_assert_eq(stack_map_colour("never"), 0);
    cr_assert_eq(stack_map_colour("auto"), 0, "stdout is no terminal here");
    cr_assert_eq(stack_map_colour("blue"), -EINVAL);
}

Test(cli_see, the_library_by_its_file_name)
{
    cr_assert(counters_is_library("/usr/lib/libthpfix.so"));
    cr_assert(counters_is_library("/a/libthpfix.so (deleted)"));
    cr_assert(counters_is_library("/a/libthpfix.so.0.1.0"));
    cr_assert(!counters_is_library("/a/libthpfix-sites.so"));
    cr_assert(!counters_is_library("/libthpfix.so/x"));
    cr_assert(!counters_is_library("/a/libthpfix.sox"));
    cr_assert(!counters_is_library(""));
}

#define ASKS(text) known_environment_asks(text, sizeof(text))

Test(cli_see, who_asks_for_the_library)
{
    cr_assert(ASKS("A=1\0LD_PRELOAD=/a/libx.so:/usr/lib/libthpfix.so\0B=2"));
    cr_assert(ASKS("LD_PRELOAD=libthpfix.so"));
    cr_assert(!ASKS("LD_PRELOAD=\0X=libthpfix.so"));
    cr_assert(!ASKS("XLD_PRELOAD=libthpfix.so"));
    cr_assert(!ASKS(""));
    cr_assert(!known_environment_asks("LD_PRELOAD=libthpfix.so", 15), "cut");
}

static void find_libraries(struct glibc_libraries *ret_libraries)
{
    static remote_library_test *const tests[] = {glibc_is_libc, glibc_is_libpthread,
                                                 glibc_is_loader};
    struct remote_library files[3];
    cr_assert_eq(remote_library_find(getpid(), tests, 3, files), 0);
    *ret_libraries = (struct glibc_libraries){files[0], files[1], files[2]};
}

Test(cli_see, symbols_by_hash_and_by_file)
{
    struct glibc_libraries libraries;
    struct remote_symbols symbols;
    uint64_t address = 17;
    find_libraries(&libraries);
    cr_assert_neq(libraries.libc.start, 0);
    cr_assert_eq(remote_symbols_open(getpid(), &libraries.libc, &symbols), 0);
    cr_assert_eq(remote_symbols_find(&symbols, "qsort_no_such_thing", &address), -ENOENT);
    cr_assert_eq(address, 17, "untouched");
    void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
    static const char *const names[] = {"getppid", "setenv", "environ"};
    for (size_t i = 0; i < 3; i++) {
        cr_assert_eq(remote_symbols_find(&symbols, names[i], &address), 0, "%s", names[i]);
        cr_assert_eq(address, (uintptr_t)dlsym(libc, names[i]), "%s", names[i]);
    }
    uint64_t values[3];
    int fd = elf_symbols_open_file(getpid(), &libraries.libc);
    cr_assert_geq(fd, 0);
    cr_assert_eq(elf_symbols_find(fd, names, 3, values), 0);
    for (size_t i = 0; i < 3; i++) {
        cr_assert_eq(symbols.bias + values[i], (uintptr_t)dlsym(libc, names[i]), "%s", names[i]);
    }
    close(fd);

    struct remote_library none = {.start = (uintptr_t)names & ~UINT64_C(4095)};
    cr_assert_neq(remote_symbols_open(getpid(), &none, &symbols), 0);
    none.start = 4096;
    cr_assert_eq(remote_symbols_open(getpid(), &none, &symbols), -EFAULT);
}

Test(cli_see, counters_of_each_version)
{
    /* The test program exports its own counters; they lie where its file says. */
    struct counters_found found = {.size_bytes = 24};
    cr_assert(counters_has(&found, 16));
    cr_assert(!counters_has(&found, 24), "an older library does not have it");
    cr_assert_str_eq(counters_setting_word(0, 2), "off");
    cr_assert_str_eq(counters_setting_word(1, 3), "all");
    cr_assert_null(counters_setting_word(0, 3), "a newer one may know more words");
    cr_assert_null(counters_setting_word(2, 4096));
}

struct waiting {
    pthread_barrier_t barrier;
    pthread_t thread;
    pid_t tid;
    uintptr_t low;
    size_t size;
};

static void *wait_here(void *argument)
{
    struct waiting *waiting = argument;
    pthread_attr_t attr;
    void *low;
    waiting->tid = (pid_t)syscall(SYS_gettid);
    cr_assert_eq(pthread_getattr_np(pthread_self(), &attr), 0);
    pthread_attr_getstack(&attr, &low, &waiting->size);
    waiting->low = (uintptr_t)low;
    pthread_attr_destroy(&attr);
    pthread_barrier_wait(&waiting->barrier);
    pthread_barrier_wait(&waiting->barrier);
    return NULL;
}

Test(cli_see, threads_of_this_glibc)
{
    static struct waiting waiting[4];
    struct glibc_libraries libraries;
    struct glibc_layout layout;
    struct glibc_threads threads;
    void *stack = NULL;
    for (size_t i = 0; i < 4; i++) {
        pthread_attr_t attr;
        pthread_attr_init(&attr);
        pthread_attr_setstacksize(&attr, (i + 1) << 18);
        pthread_attr_setguardsize(&attr, i * 4096);
        if (i == 3) { /* a stack of its caller's, at no page boundary */
            cr_assert_eq(posix_memalign(&stack, 4096, 1 << 20), 0);
            pthread_attr_setstack(&attr, (char *)stack + 64, (1 << 20) - 128);
        }
        pthread_barrier_init(&waiting[i].barrier, NULL, 2);
        cr_assert_eq(pthread_create(&waiting[i].thread, &attr, wait_here, &waiting[i]), 0);
        pthread_barrier_wait(&waiting[i].barrier);
    }
    find_libraries(&libraries);
    cr_assert_eq(glibc_layout_read(getpid(), &libraries, &layout), 0);
    cr_assert_eq(process_walk_descriptors(getpid(), &layout, NULL, &threads), 0);
    cr_assert(threads.complete);
    size_t found = 0;
    for (size_t i = 0; i < threads.count; i++) {
        for (size_t j = 0; j < 4; j++) {
            const struct glibc_thread *thread = &threads.threads[i];
            if (thread->tid != waiting[j].tid) {
                continue;
            }
            found++;
            cr_assert_eq(thread->callers_stack, j == 3);
            cr_assert_eq(thread->end, waiting[j].low + waiting[j].size, "%zu", j);
            cr_assert_leq(thread->base, waiting[j].low, "%zu", j);
            cr_assert_eq(thread->guard_bytes, j == 3 ? 0 : j * 4096, "%zu", j);
        }
    }
    cr_assert_eq(found, 4);
    for (size_t i = 0; i < 4; i++) {
        pthread_barrier_wait(&waiting[i].barrier);
        pthread_join(waiting[i].thread, NULL);
    }
    process_free_descriptors(&threads);
    free(stack);
}
