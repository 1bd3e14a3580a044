/* create_beside BATCHES: pthread_create as the program meets it, a preloaded library's when there
 * is one, beside glibc's own in the same process, in alternating batches: what differs from one
 * process to the next, addresses above all, is then no part of the ratio. CPU time of
 * creation and join, on stacks from glibc's cache. Prints key=value. */
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CYCLES_PER_BATCH = 200, BATCHES_MAX = 10000 };

typedef int create_function(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static void *do_nothing(void *argument)
{
    return argument;
}

static double cpu_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return left < right ? -1 : left > right;
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof(*values), compare);
    return values[count / 2];
}

static double cycle_ns(create_function *create)
{
    double start = cpu_ns();

    for (int i = 0; i < CYCLES_PER_BATCH; i++) {
        pthread_t thread;
        int error = create(&thread, NULL, do_nothing, NULL);
        if (error) {
            fprintf(stderr, "pthread_create: %s\n", strerror(error));
            exit(EXIT_FAILURE);
        }
        pthread_join(thread, NULL);
    }
    return (cpu_ns() - start) / CYCLES_PER_BATCH;
}

static create_function *glibcs_own(void)
{
    static const char *const libraries[] = {"libpthread.so.0", "libc.so.6"};

    for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++) {
        void *handle = dlopen(libraries[i], RTLD_NOW);
        create_function *create =
            handle ? (create_function *)dlsym(handle, "pthread_create") : NULL;
        if (create)
            return create;
    }
    fprintf(stderr, "create_beside: no pthread_create in glibc: %s\n", dlerror());
    exit(EXIT_FAILURE);
}

int main(int argc, char **argv)
{
    static double times[2][BATCHES_MAX];
    size_t batches = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
    create_function *create[2] = {glibcs_own(), pthread_create};
    cpu_set_t one;

    if (batches == 0 || batches > BATCHES_MAX) {
        fprintf(stderr, "usage: create_beside BATCHES (at most %d)\n", BATCHES_MAX);
        return 2;
    }
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof(one), &one);

    cycle_ns(create[0]); /* fills the stack cache */
    for (size_t i = 0; i < batches; i++) {
        size_t first = i % 2;
        times[first][i] = cycle_ns(create[first]);
        times[!first][i] = cycle_ns(create[!first]);
    }
    double own = median(times[0], batches), met = median(times[1], batches);
    printf("same=%d\n", create[0] == create[1]);
    printf("own_ns=%.0f\n", own);
    printf("met_ns=%.0f\n", met);
    printf("met_to_own=%.3f\n", met / own);
    return EXIT_SUCCESS;
}
