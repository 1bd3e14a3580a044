/* service_mix THREADS STACK-KIB GUARD-KIB HEAP-MIB: like a service: a pool of threads, most of
 * them idle, that serve requests from a heap that is far larger than the caches. Prints
 * key=value lines.
 *
 * A request is a chain of dependent accesses to random places of the heap: that is where huge
 * pages pay, because each access to a small page needs its own entry of the page tables. The
 * requests go round all threads, so that every stack is in use. heap_access_ns is CPU time. */
#include "tests/e2e/memory/measure.h"
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { REQUESTS = 4000, ACCESSES = 1000, STACK_USED = 16 * 1024 };

struct worker {
    sem_t request;
    uint64_t seed;
    pthread_t thread;
};

static uint64_t *heap;
static uint64_t heap_mask;
static uintptr_t *addresses;
static struct worker *workers;
static sem_t served, running;

static _Noreturn void die(const char *what, int error)
{
    fprintf(stderr, "service_mix: %s: %s\n", what, strerror(error));
    exit(EXIT_FAILURE);
}

static long long clock_ns(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* splitmix64: each place depends on what was found at the one before. */
static uint64_t next_place(uint64_t state)
{
    state += UINT64_C(0x9e3779b97f4a7c15);
    state = (state ^ (state >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    state = (state ^ (state >> 27)) * UINT64_C(0x94d049bb133111eb);
    return state ^ (state >> 31);
}

static void serve(struct worker *worker)
{
    volatile char stack[STACK_USED];
    uint64_t state = worker->seed;

    for (size_t i = 0; i < sizeof(stack); i += 1024)
        stack[i] = 1;
    for (int i = 0; i < ACCESSES; i++) {
        uint64_t *place = &heap[state & heap_mask];
        *place += 1;
        state = next_place(state + *place);
    }
    worker->seed = state;
}

static void *work(void *argument)
{
    struct worker *worker = argument;

    addresses[worker - workers] = (uintptr_t)&worker;
    serve(worker);
    sem_post(&running);
    for (;;) {
        while (sem_wait(&worker->request) < 0)
            ;
        serve(worker);
        sem_post(&served);
    }
    return NULL;
}

/* Resident before the first measurement, so that it is in no difference. */
static void *resident(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

    if (memory == MAP_FAILED)
        die("mmap", errno);
    return memory;
}

/* As malloc maps what is large, only the mode decides its pages; but between two inaccessible
 * pages, because the kernel makes one mapping of it and a stack without a guard. */
static uintptr_t fill_heap(size_t mib)
{
    size_t bytes = mib << 20, page = (size_t)sysconf(_SC_PAGESIZE);
    char *area = mmap(NULL, bytes + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (area == MAP_FAILED || mprotect(area + page, bytes, PROT_READ | PROT_WRITE) < 0)
        die("mmap of the heap", errno);
    heap = (uint64_t *)(area + page);
    memset(heap, 1, bytes);
    heap_mask = bytes / sizeof(*heap) - 1;
    return (uintptr_t)heap;
}

static void start_workers(size_t count, size_t stack_bytes, size_t guard_bytes)
{
    pthread_attr_t attributes;

    pthread_attr_init(&attributes);
    int error = pthread_attr_setstacksize(&attributes, stack_bytes);
    if (!error)
        error = pthread_attr_setguardsize(&attributes, guard_bytes);
    for (size_t i = 0; i < count && !error; i++) {
        sem_init(&workers[i].request, 0, 0);
        workers[i].seed = next_place(i);
        error = pthread_create(&workers[i].thread, &attributes, work, &workers[i]);
    }
    if (error)
        die("pthread_create", error);
    pthread_attr_destroy(&attributes);
    for (size_t i = 0; i < count; i++)
        sem_wait(&running);
}

/* As many at a time as there are CPUs: to wait for a CPU is no work. */
static void serve_requests(size_t count)
{
    size_t window = (size_t)sysconf(_SC_NPROCESSORS_ONLN);

    for (size_t i = 0; i < REQUESTS; i++) {
        if (i >= window)
            sem_wait(&served);
        sem_post(&workers[i % count].request);
    }
    for (size_t i = 0; i < window; i++)
        sem_wait(&served);
}

int main(int argc, char **argv)
{
    size_t numbers[4] = {0};
    struct memory before, after;
    struct mappings stacks, heap_memory;

    for (int i = 1; i < argc && i <= 4; i++)
        numbers[i - 1] = strtoul(argv[i], NULL, 10);
    size_t count = numbers[0], mib = numbers[3];
    if (argc != 5 || count == 0 || mib == 0 || (mib & (mib - 1)) != 0) {
        fprintf(stderr, "usage: service_mix THREADS STACK-KIB GUARD-KIB HEAP-MIB (a power of 2)\n");
        return 2;
    }
    workers = resident(count * sizeof(*workers));
    addresses = resident(count * sizeof(*addresses));
    sem_init(&served, 0, 0);
    sem_init(&running, 0, 0);
    uintptr_t heap_address = fill_heap(mib);
    measure_memory(&before); /* once for the heap of stdio */
    measure_memory(&before);

    long long start_ns = clock_ns(CLOCK_MONOTONIC);
    start_workers(count, numbers[1] * 1024, numbers[2] * 1024);
    long long spawn_ns = clock_ns(CLOCK_MONOTONIC) - start_ns;
    long long busy_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    serve_requests(count);
    busy_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - busy_ns;

    measure_memory(&after);
    measure_mappings(addresses, count, &stacks);
    measure_mappings(&heap_address, 1, &heap_memory);
    printf("spawn_ns=%lld\n", spawn_ns);
    printf("heap_access_ns=%.2f\n", (double)busy_ns / REQUESTS / ACCESSES);
    printf("rss_kib=%lld\n", after.rss_kib);
    printf("rss_growth_kib=%lld\n", after.rss_kib - before.rss_kib);
    printf("stack_rss_kib=%lld\n", stacks.rss_kib);
    printf("heap_huge_kib=%lld\n", heap_memory.anon_huge_kib);
    return EXIT_SUCCESS;
}
