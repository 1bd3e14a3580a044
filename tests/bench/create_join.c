/* create_join BATCHES [DEPTH]: what one pthread_create and pthread_join cost, one after the
 * other, on stacks from glibc's cache, called through that many frames more. CPU time, of both
 * threads and the kernel, because other programs on the machine would be most of the elapsed time.
 * Prints the median of the batches, key=value. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CYCLES_PER_BATCH = 500 };

static void *do_nothing(void *argument)
{
    return argument;
}

static long long cpu_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static int compare_times(const void *a, const void *b)
{
    long long left = *(const long long *)a, right = *(const long long *)b;

    return left < right ? -1 : left > right;
}

static void run_batch(void)
{
    for (int i = 0; i < CYCLES_PER_BATCH; i++) {
        pthread_t thread;
        int error = pthread_create(&thread, NULL, do_nothing, NULL);
        if (error) {
            fprintf(stderr, "pthread_create: %s\n", strerror(error));
            exit(EXIT_FAILURE);
        }
        pthread_join(thread, NULL);
    }
}

/* noclone is gcc's alone. */
#ifdef __clang__
#define OUT_OF_LINE __attribute__((noinline))
#else
#define OUT_OF_LINE __attribute__((noinline, noclone))
#endif

/* Not a loop, and no tail call. */
static OUT_OF_LINE void run_batch_below(size_t depth)
{
    if (depth == 0) {
        run_batch();
    } else {
        run_batch_below(depth - 1);
    }
    __asm__ volatile("");
}

int main(int argc, char **argv)
{
    size_t batches = argc >= 2 ? strtoul(argv[1], NULL, 10) : 0;
    size_t depth = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
    long long *times = batches != 0 ? calloc(batches, sizeof(*times)) : NULL;
    cpu_set_t one;

    if (!times) {
        fprintf(stderr, "usage: create_join BATCHES [DEPTH]\n");
        return 2;
    }
    /* On several CPUs the wake-up of an idle one is most of the cost, and most of the noise. */
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof(one), &one);

    run_batch_below(depth); /* fills the stack cache */
    for (size_t i = 0; i < batches; i++) {
        long long start = cpu_ns();
        run_batch_below(depth);
        times[i] = (cpu_ns() - start) / CYCLES_PER_BATCH;
    }
    qsort(times, batches, sizeof(*times), compare_times);
    printf("cycle_ns=%lld\n", times[batches / 2]);
    free(times);
    return EXIT_SUCCESS;
}
