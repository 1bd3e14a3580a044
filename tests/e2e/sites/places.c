/* Creates threads at places with names, prints "ready", and waits to be ended.
 *
 * places MODE
 *   plain      three sites: sizes of its own, defaults, stacks of its own
 *   daemon     forks, then the child does the same, and the parent waits
 *   forked     three threads, then a fork, and the child creates two more
 *   small      a thread with the smallest stack creates one
 *   coroutine  another stack than the thread's own does
 *   crowd      eight threads create 200 each, at once
 *   deep       one thread, from below 100 calls
 *   malloc     malloc does (creating_malloc.c)
 *   jit        code without unwind information does; also prints "descriptors: N", how many
 *              there are more afterwards
 */
#include <dirent.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

/* noclone is gcc's alone. */
#ifdef __clang__
#define OUT_OF_LINE __attribute__((noinline))
#else
#define OUT_OF_LINE __attribute__((noinline, noclone))
#endif

#define PLACE OUT_OF_LINE __attribute__((visibility("default")))

static void must(bool condition, const char *what)
{
    if (!condition) {
        perror(what);
        exit(1);
    }
}

static void *wait_for_ever(void *argument)
{
    for (;;)
        pause();
    return argument;
}

static void *nothing(void *argument)
{
    return argument;
}

static void create(const pthread_attr_t *attr, void *(*routine)(void *), pthread_t *ret_thread)
{
    must(pthread_create(ret_thread, attr, routine, NULL) == 0, "pthread_create");
}

void first_place(int count);
PLACE void first_place(int count)
{
    pthread_attr_t attr;
    pthread_t thread;

    pthread_attr_init(&attr);
    pthread_attr_setguardsize(&attr, 8192);
    for (int i = 0; i < count; i++) {
        pthread_attr_setstacksize(&attr, i ? 512 << 10 : 256 << 10);
        create(&attr, wait_for_ever, &thread);
    }
    pthread_attr_destroy(&attr);
}

void second_place(int count);
PLACE void second_place(int count)
{
    pthread_t thread;

    for (int i = 0; i < count; i++)
        create(NULL, wait_for_ever, &thread);
    __asm__ volatile("");
}

void third_place(int count);
PLACE void third_place(int count)
{
    pthread_attr_t attr;
    pthread_t thread;

    pthread_attr_init(&attr);
    for (int i = 0; i < count; i++) {
        char *stack =
            mmap(NULL, 128 << 10, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        must(stack != MAP_FAILED, "mmap");
        pthread_attr_setstack(&attr, stack, 128 << 10);
        create(&attr, wait_for_ever, &thread);
    }
    pthread_attr_destroy(&attr);
}

static void all_places(void)
{
    first_place(3);
    second_place(4);
    third_place(2);
}

static void *create_one(void *argument)
{
    pthread_t thread;

    create(NULL, wait_for_ever, &thread);
    return argument;
}

static void *create_many(void *argument)
{
    for (int i = 0; i < 200; i++) {
        pthread_t thread;
        create(NULL, nothing, &thread);
        pthread_join(thread, NULL);
    }
    return argument;
}

static void crowd(void)
{
    pthread_t threads[8];

    for (int i = 0; i < 8; i++)
        create(NULL, create_many, &threads[i]);
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
}

static void small(void)
{
    pthread_attr_t attr;
    pthread_t thread;

    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN);
    create(&attr, create_one, &thread);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attr);
}

static void on_other_stack(void)
{
    (void)create_one(NULL);
}

static void coroutine(void)
{
    static ucontext_t here, there;

    must(getcontext(&there) == 0, "getcontext");
    there.uc_stack.ss_sp = malloc(256 << 10);
    there.uc_stack.ss_size = 256 << 10;
    there.uc_link = &here;
    makecontext(&there, on_other_stack, 0);
    must(swapcontext(&here, &there) == 0, "swapcontext");
}

static OUT_OF_LINE void deep(int calls)
{
    if (calls == 0) {
        second_place(1);
    } else {
        deep(calls - 1);
    }
    __asm__ volatile("");
}

static void by_malloc(void)
{
    static void *volatile kept; /* so that the compiler cannot do without malloc */

    kept = malloc(4242);
    must(kept != NULL, "malloc");
}

static int count_descriptors(void)
{
    DIR *directory = opendir("/proc/self/fd");
    int count = 0;

    must(directory != NULL, "/proc/self/fd");
    while (readdir(directory))
        count++;
    closedir(directory);
    return count;
}

static void jit(void)
{
#ifdef __x86_64__
    /* sub $8,%rsp; mov $ADDRESS,%rax; call *%rax; add $8,%rsp; ret */
    unsigned char code[] = {0x48, 0x83, 0xec, 8,    0x48, 0xb8, 0,    0,    0, 0,   0,
                            0,    0,    0,    0xff, 0xd0, 0x48, 0x83, 0xc4, 8, 0xc3};
    void *(*target)(void *) = create_one;
    int before = count_descriptors();
    char *memory =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    must(memory != MAP_FAILED, "mmap");
    memcpy(code + 6, &target, sizeof(target));
    memcpy(memory, code, sizeof(code));
    ((void (*)(void))(uintptr_t)memory)();
    printf("descriptors: %d\n", count_descriptors() - before);
#endif
}

static void in_child(void (*work)(void))
{
    pid_t child = fork();

    must(child >= 0, "fork");
    if (child == 0) {
        work();
        return;
    }
    waitpid(child, NULL, 0);
    exit(0);
}

static void two_more(void)
{
    second_place(2);
}

int main(int argc, char **argv)
{
    const char *mode = argc == 2 ? argv[1] : "";

    if (strcmp(mode, "plain") == 0) {
        all_places();
    } else if (strcmp(mode, "daemon") == 0) {
        in_child(all_places);
    } else if (strcmp(mode, "forked") == 0) {
        first_place(3);
        in_child(two_more);
    } else if (strcmp(mode, "small") == 0) {
        small();
    } else if (strcmp(mode, "coroutine") == 0) {
        coroutine();
    } else if (strcmp(mode, "crowd") == 0) {
        crowd();
    } else if (strcmp(mode, "deep") == 0) {
        deep(100);
    } else if (strcmp(mode, "malloc") == 0) {
        by_malloc();
    } else if (strcmp(mode, "jit") == 0) {
        jit();
    } else {
        return 2;
    }
    puts("ready");
    fflush(stdout);
    wait_for_ever(NULL);
}
