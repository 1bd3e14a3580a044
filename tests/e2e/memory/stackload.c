/* stackload: many idle threads, and what they cost in memory and time. Prints key=value lines.
 *
 * The threads do nothing that would disturb the figures: they touch their stack, count
 * themselves and sleep. No malloc in a thread: that would make an arena.
 */
#include "load_options.h"
#include "measure.h"
#include <alloca.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define THP_BYTES ((size_t)2 << 20)

static struct load_options options;

static const size_t mixed_kib[] = {64, 256, 1024, 2048, 3072, 4096, 8192, 16384, 65536};

static pthread_t *threads;
static uintptr_t *addresses;
static atomic_size_t running;
static sem_t all_running;
static size_t expected;

static _Noreturn void die(const char *what, int error)
{
    fprintf(stderr, "stackload: %s: %s\n", what, strerror(error));
    exit(EXIT_FAILURE);
}

static void touch_stack(size_t kib)
{
    volatile char *memory = alloca(kib * 1024 + 1);

    for (size_t offset = 0; offset <= kib * 1024; offset += 1024)
        memory[kib * 1024 - offset] = 1;
}

static void *be_idle(void *argument)
{
    uintptr_t *address = argument;

    *address = (uintptr_t)&address;
    touch_stack(options.touch_kib);
    if (atomic_fetch_add(&running, 1) + 1 == expected)
        sem_post(&all_running);
    for (;;)
        pause();
    return NULL;
}

static long long clock_ns(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* Anonymous memory for ourselves, resident from the start, so that it is in no difference. */
static void *resident(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

    if (memory == MAP_FAILED)
        die("mmap", errno);
    return memory;
}

/* Whole THP-size blocks between two inaccessible ones: a mapping of its own. */
static uintptr_t make_heap(size_t mib)
{
    size_t bytes = mib << 20;
    char *area = mmap(NULL, bytes + 3 * THP_BYTES, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (area == MAP_FAILED)
        die("mmap of the heap", errno);
    char *heap = (char *)(((uintptr_t)area + 2 * THP_BYTES - 1) & ~(THP_BYTES - 1));
    if (mprotect(heap, bytes, PROT_READ | PROT_WRITE) < 0)
        die("mprotect of the heap", errno);
    memset(heap, 1, bytes);
    return (uintptr_t)heap;
}

/* Uses up the map table, but for the given number of entries. */
static void fill_map_table(size_t room)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct memory memory;

    measure_memory(&memory);
    long long limit = measure_read_number("/proc/sys/vm/max_map_count");
    long long wanted = limit - memory.map_entries - (long long)room;
    if (limit < 0 || wanted <= 0)
        die("vm.max_map_count", ERANGE);
    size_t pages = (size_t)wanted;
    char *area = mmap(NULL, pages * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (area == MAP_FAILED)
        die("mmap to fill the map table", errno);
    for (size_t i = 1; i < pages; i += 2) {
        if (mprotect(area + i * page, page, PROT_READ) < 0)
            die("mprotect to fill the map table", errno);
    }
}

static void set_attributes(pthread_attr_t *attributes, size_t index)
{
    int error = 0;

    if (options.attr == ATTR_SIZE)
        error = pthread_attr_setstacksize(attributes, options.size_bytes);
    if (options.attr == ATTR_MIXED) {
        size_t kib = mixed_kib[index % (sizeof(mixed_kib) / sizeof(mixed_kib[0]))];
        error = pthread_attr_setstacksize(attributes, kib * 1024);
    }
    if (!error && options.guard_bytes != AS_BY_DEFAULT)
        error = pthread_attr_setguardsize(attributes, options.guard_bytes);
    if (error)
        die("thread attributes", error);
}

/* Returns the error of the creation that failed, or 0. *ret_count threads run. */
static int create_threads(size_t *ret_count)
{
    pthread_attr_t attributes;
    size_t count = 0;
    int error = 0;

    pthread_attr_init(&attributes);
    expected = SIZE_MAX;
    while (count < options.threads && !error) {
        if (options.neighbour_kib &&
            mmap(NULL, options.neighbour_kib * 1024, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
            die("mmap of a neighbour", errno);
        if (options.attr != ATTR_NULL)
            set_attributes(&attributes, count);
        if (count + 1 == options.threads)
            expected = options.threads; /* before the last thread can read it */
        error = pthread_create(&threads[count], options.attr == ATTR_NULL ? NULL : &attributes,
                               be_idle, &addresses[count]);
        count += !error;
    }
    pthread_attr_destroy(&attributes);
    if (!error)
        sem_wait(&all_running);
    while (atomic_load(&running) < count) /* only where a creation failed */
        usleep(1000);
    *ret_count = count;
    return error;
}

/* Until khugepaged has gone twice over everything that is there now. */
static void wait_for_collapse(void)
{
    static const char path[] = "/sys/kernel/mm/transparent_hugepage/khugepaged/full_scans";
    /* It only goes round while there is a process that asks for huge pages. To some kernels the
     * advice tells that, to others the first fault where a huge page could be. */
    char *bait =
        mmap(NULL, 2 * THP_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (bait == MAP_FAILED || madvise(bait, 2 * THP_BYTES, MADV_HUGEPAGE) < 0)
        die("MADV_HUGEPAGE", errno);
    bait[THP_BYTES] = 1; /* in the middle, so that the huge page around it lies in the bait */
    long long goal = measure_read_number(path) + 3; /* one round may be halfway */

    for (int tries = 0; measure_read_number(path) < goal; tries++) {
        if (tries == 3000)
            die("khugepaged does not get round", ETIMEDOUT);
        usleep(100000);
    }
}

static long long huge_kib_in_stacks(size_t count)
{
    long long sum = 0;

    for (size_t i = 0; i < count; i++) {
        pthread_attr_t attributes;
        void *base = NULL;
        size_t size = 0;

        if (pthread_getattr_np(threads[i], &attributes))
            return -1;
        pthread_attr_getstack(&attributes, &base, &size);
        pthread_attr_destroy(&attributes);
        long long huge = measure_huge_kib((uintptr_t)base, (uintptr_t)base + size);
        if (huge < 0)
            return -1;
        sum += huge;
    }
    return sum;
}

int main(int argc, char **argv)
{
    struct memory before, after;
    struct mappings stacks, heap = {0};
    size_t count;

    options = load_options_parse(argc, argv);
    threads = resident(options.threads * sizeof(*threads));
    addresses = resident(options.threads * sizeof(*addresses));
    sem_init(&all_running, 0, 0);
    measure_memory(&before); /* once for the heap of stdio */
    uintptr_t heap_address = options.heap_mib ? make_heap(options.heap_mib) : 0;
    if (options.map_room != AS_BY_DEFAULT)
        fill_map_table(options.map_room);
    measure_memory(&before);

    long long start_ns = clock_ns(CLOCK_MONOTONIC);
    long long start_cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    int error = create_threads(&count);
    long long spawn_ns = clock_ns(CLOCK_MONOTONIC) - start_ns;
    long long spawn_cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - start_cpu_ns;

    usleep((useconds_t)options.settle_ms * 1000);
    if (options.wait_collapse)
        wait_for_collapse();
    measure_memory(&after);
    measure_mappings(addresses, count, &stacks);
    if (heap_address)
        measure_mappings(&heap_address, 1, &heap);

    printf("threads=%zu\n", count);
    printf("create_error=%d\n", error);
    printf("spawn_ns=%lld\n", spawn_ns);
    printf("spawn_cpu_ns=%lld\n", spawn_cpu_ns); /* other programs' load is not in it */
    printf("rss_kib=%lld\n", after.rss_kib);
    printf("rss_growth_kib=%lld\n", after.rss_kib - before.rss_kib);
    printf("anon_huge_kib=%lld\n", after.anon_huge_kib);
    printf("stack_rss_kib=%lld\n", stacks.rss_kib);
    printf("stack_huge_kib=%lld\n", stacks.anon_huge_kib);
    printf("stack_huge_exact_kib=%lld\n", huge_kib_in_stacks(count));
    printf("stacks_exempt=%lld\n", stacks.exempt);
    printf("heap_huge_kib=%lld\n", heap.anon_huge_kib);
    printf("map_entries=%lld\n", after.map_entries);
    printf("map_growth=%lld\n", after.map_entries - before.map_entries);
    printf("memfree_drop_kib=%lld\n", before.machine_free_kib - after.machine_free_kib);
    if (before.cgroup_kib >= 0)
        printf("cgroup_growth_kib=%lld\n", after.cgroup_kib - before.cgroup_kib);
    return EXIT_SUCCESS;
}
