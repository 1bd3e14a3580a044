/* Threads whose stacks are known: prints for each "TID BASE END" (hexadecimal, guard
 * included), then "ready", and waits to be ended.
 *
 * stacks COUNT STACK_KIB GUARD_KIB USED_KIB [caller] [leave] [hide] [churn]
 *   caller  the stacks are the program's own, one behind the other
 *   leave   main() calls pthread_exit
 *   hide    the environment is emptied and the descriptors are closed, but stdout until ready
 *   churn   another thread goes on mapping, unmapping and making threads
 */
#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define THP_BYTES ((size_t)2 << 20)

static size_t used_bytes, guard_bytes;
static pthread_barrier_t barrier;
static pthread_mutex_t printing = PTHREAD_MUTEX_INITIALIZER;

static void must(bool condition, const char *what)
{
    if (!condition) {
        perror(what);
        exit(1);
    }
}

static void print_bounds(void)
{
    pthread_attr_t attr;
    void *low;
    size_t size, guard;

    must(pthread_getattr_np(pthread_self(), &attr) == 0, "pthread_getattr_np");
    pthread_attr_getstack(&attr, &low, &size);
    pthread_attr_getguardsize(&attr, &guard);
    pthread_attr_destroy(&attr);
    /* glibc tells the stack without its guard. */
    pthread_mutex_lock(&printing);
    printf("%ld %lx %lx\n", syscall(SYS_gettid), (unsigned long)low - guard,
           (unsigned long)low + size);
    pthread_mutex_unlock(&printing);
}

static void *wait_for_ever(void *argument)
{
    volatile char *memory = __builtin_alloca(used_bytes + 1);

    for (size_t i = 0; i < used_bytes; i += 4096)
        memory[used_bytes - i] = 1;
    print_bounds();
    pthread_barrier_wait(&barrier);
    for (;;)
        pause();
    return argument;
}

static void *nothing(void *argument)
{
    return argument;
}

static void *churn(void *argument)
{
    pthread_t thread;

    for (;;) {
        char *memory =
            mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        memory[4096] = 1;
        mprotect(memory + 8192, 4096, PROT_NONE);
        must(pthread_create(&thread, NULL, nothing, NULL) == 0, "pthread_create");
        pthread_join(thread, NULL);
        munmap(memory, 1 << 20);
    }
    return argument;
}

static bool has(char **words, const char *word)
{
    for (; *words; words++) {
        if (strcmp(*words, word) == 0)
            return true;
    }
    return false;
}

int main(int argc, char **argv)
{
    pthread_attr_t attr;
    pthread_t thread;
    char *memory = NULL;

    if (argc < 5)
        return 2;
    size_t count = strtoul(argv[1], NULL, 10), stack_bytes = strtoul(argv[2], NULL, 10) * 1024;
    guard_bytes = strtoul(argv[3], NULL, 10) * 1024;
    used_bytes = strtoul(argv[4], NULL, 10) * 1024;
    /* Between the stacks and what the loader has mapped: a mapping is stacks, or it is not. */
    must(mmap(NULL, THP_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED,
         "mmap");
    /* Or malloc counts the CPUs in the ninth thread, before glibc 2.35 in 8 KiB of its stack. */
    must(mallopt(M_ARENA_MAX, 16), "mallopt");
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, stack_bytes);
    pthread_attr_setguardsize(&attr, guard_bytes);
    pthread_barrier_init(&barrier, NULL, (unsigned)count + 1);
    if (has(argv + 5, "caller")) {
        memory = mmap(NULL, count * stack_bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        must(memory != MAP_FAILED, "mmap");
    }
    for (size_t i = 0; i < count; i++) {
        if (memory)
            pthread_attr_setstack(&attr, memory + i * stack_bytes, stack_bytes);
        must(pthread_create(&thread, &attr, wait_for_ever, NULL) == 0, "pthread_create");
    }
    pthread_barrier_wait(&barrier);
    if (has(argv + 5, "churn"))
        must(pthread_create(&thread, NULL, churn, NULL) == 0, "pthread_create");
    puts("ready");
    fflush(stdout);
    if (has(argv + 5, "hide")) {
        clearenv();
        for (int fd = 0; fd < 64; fd++)
            close(fd);
    }
    if (has(argv + 5, "leave"))
        pthread_exit(NULL);
    for (;;)
        pause();
}
