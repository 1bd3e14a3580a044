/* scenario reentry|fork|cancel|limit CROWD [stuck]
 *
 * What happens inside a pthread_create that holds the start gate. This program has a
 * calloc of its own, which glibc calls there for the new thread's TLS; what the calling
 * thread is to do in it is set beforehand. CROWD threads for each CPU are put inside
 * first, as many as leave the gate open. Exit status 0: the scenario went to its end; with the word
 * stuck: it did not within a few seconds, as it must where a rule is missing. */
#include "detect/counters_abi.h"

#include <dlfcn.h>
#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_S       60
#define PATIENCE_STUCK_S 4 /* several limits */
#define CROWD_MAX        10000

void *__libc_calloc(size_t count, size_t size);

enum deed { ORDINARY, CREATE, STAY };

static _Thread_local enum deed next_calloc;
static sem_t inside;
static bool may_leave;
static bool expect_stuck;

static void *child(void *argument)
{
    return argument;
}

static void create_and_join(void)
{
    pthread_t thread;
    const int error = pthread_create(&thread, NULL, child, NULL);
    if (error != 0) {
        errno = error;
        err(1, "pthread_create");
    }
    pthread_join(thread, NULL);
}

__attribute__((visibility("default"))) void *calloc(size_t count, size_t size)
{
    const enum deed deed = next_calloc;
    next_calloc = ORDINARY;
    if (deed == CREATE) {
        create_and_join();
    } else if (deed == STAY) {
        sem_post(&inside);
        while (!__atomic_load_n(&may_leave, __ATOMIC_ACQUIRE)) {
            sched_yield(); /* no cancellation point */
        }
    }
    return __libc_calloc(count, size);
}

static void *create_and_stay_inside(void *argument)
{
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    next_calloc = STAY;
    create_and_join();
    return argument;
}

/* A thread that is inside pthread_create when this returns. */
static pthread_t start_stayer(void)
{
    pthread_t thread;
    const int error = pthread_create(&thread, NULL, create_and_stay_inside, NULL);
    if (error != 0) {
        errno = error;
        err(1, "pthread_create");
    }
    while (sem_wait(&inside) != 0) {
    }
    return thread;
}

static void on_alarm(int signal)
{
    (void)signal;
    _exit(expect_stuck ? 0 : 3);
}

static void set_alarm(void)
{
    const struct sigaction action = {.sa_handler = on_alarm};
    sigaction(SIGALRM, &action, NULL);
    alarm(expect_stuck ? PATIENCE_STUCK_S : PATIENCE_S);
}

static struct counters *counters(void)
{
    static struct counters none;
    struct counters *const found = dlsym(RTLD_DEFAULT, COUNTERS_SYMBOL);
    return found != NULL ? found : &none;
}

static void expect_counted(const char *what, uint64_t count)
{
    if (counters()->magic == COUNTERS_MAGIC && count == 0) {
        errx(1, "%s was not counted", what);
    }
}

static void run_reentry(void)
{
    next_calloc = CREATE;
    create_and_join();
    expect_counted("re-entry", counters()->gate_reentries);
}

static void run_fork(void)
{
    const pthread_t holder = start_stayer();
    const pid_t pid = fork();
    if (pid == 0) {
        set_alarm();
        create_and_join();
        _exit(expect_stuck || counters()->gate_timeouts != 0 ? 1 : 0);
    }
    int status;
    waitpid(pid, &status, 0);
    __atomic_store_n(&may_leave, true, __ATOMIC_RELEASE);
    pthread_join(holder, NULL);
    if (status != 0) {
        errx(1, "wait status of the child: %#x", (unsigned)status);
    }
    if (expect_stuck) {
        exit(0); /* the child was, and said so */
    }
}

static void run_cancel(void)
{
    const pthread_t holder = start_stayer();
    void *result;
    pthread_cancel(holder);
    pthread_join(holder, &result);
    if (result != PTHREAD_CANCELED) {
        errx(1, "the holder was not cancelled");
    }
    create_and_join();
    expect_counted("the time limit", counters()->gate_timeouts);
}

static void run_limit(void)
{
    const pthread_t holder = start_stayer();
    create_and_join();
    expect_counted("the time limit", counters()->gate_timeouts);
    __atomic_store_n(&may_leave, true, __ATOMIC_RELEASE);
    pthread_join(holder, NULL);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } scenarios[] = {
        {"reentry", run_reentry},
        {"fork", run_fork},
        {"cancel", run_cancel},
        {"limit", run_limit},
    };
    if (argc < 3) {
        errx(2, "usage: scenario reentry|fork|cancel|limit CROWD [stuck]");
    }
    expect_stuck = argc > 3 && strcmp(argv[3], "stuck") == 0;
    set_alarm();
    sem_init(&inside, 0, 0);
    static pthread_t crowd[CROWD_MAX];
    cpu_set_t cpus;
    if (sched_getaffinity(0, sizeof cpus, &cpus) != 0) {
        err(1, "sched_getaffinity");
    }
    const int crowd_size = atoi(argv[2]) * CPU_COUNT(&cpus);
    if (crowd_size > CROWD_MAX) {
        puts("skipped: this machine has more CPUs than the test has threads for");
        return 77;
    }
    for (int i = 0; i < crowd_size; i++) {
        crowd[i] = start_stayer();
    }
    for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; i++) {
        if (strcmp(argv[1], scenarios[i].name) == 0) {
            scenarios[i].run();
            __atomic_store_n(&may_leave, true, __ATOMIC_RELEASE);
            for (int j = 0; j < crowd_size; j++) {
                pthread_join(crowd[j], NULL);
            }
            return expect_stuck ? 1 : 0;
        }
    }
    errx(2, "no such scenario: %s", argv[1]);
}
