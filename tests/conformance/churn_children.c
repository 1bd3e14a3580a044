/* What happens to processes with threads. A child says what went wrong by its status. */
#include "churn.h"
#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    THREADS_IN_CHILD = 4,
    CREATIONS_UNDER_LIMIT = 64,
    NOBODY = 65534,
    CHILD_CREATE_FAILED = 100,
    CHILD_OTHER_ERROR,
    CHILD_NO_ERROR,
    CHILD_LIMIT_REFUSED,
    CHILD_STILL_THERE,
};

typedef void child_function(uint64_t *random);

static pid_t start_child(child_function *child, uint64_t *random)
{
    pid_t pid = fork();

    if (pid < 0)
        err(1, "fork");
    if (pid == 0) {
        child(random);
        _exit(0);
    }
    return pid;
}

/* signal_wanted: 0 where the child is to end well. */
static void end_child(pid_t pid, int signal_wanted)
{
    int status;

    while (waitpid(pid, &status, 0) != pid) {
        if (errno != EINTR)
            err(1, "waitpid");
    }
    if (signal_wanted ? !WIFSIGNALED(status) || WTERMSIG(status) != signal_wanted
                      : !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        errx(1, "a child ended with wait status 0x%x", (unsigned)status);
}

static void create_some(uint64_t *random)
{
    for (int i = 0; i < THREADS_IN_CHILD; i++) {
        if (churn_one_thread(random) != 0)
            _exit(CHILD_CREATE_FAILED);
    }
}

static void create_for_ever(uint64_t *random)
{
    for (;;)
        create_some(random);
}

void churn_fork_middle(uint64_t *random)
{
    end_child(start_child(create_some, random), 0);
}

static void exec_self(uint64_t *random)
{
    (void)random;
    execl("/proc/self/exe", "churn", "--child", (char *)NULL);
    _exit(CHILD_OTHER_ERROR);
}

void churn_exec_child(uint64_t *random)
{
    end_child(start_child(exec_self, random), 0);
}

static void limit(int resource, rlim_t value)
{
    if (setrlimit(resource, &(struct rlimit){value, value}) < 0)
        _exit(CHILD_LIMIT_REFUSED);
}

static void *wait_for_end(void *argument)
{
    pthread_barrier_wait(argument);
    return NULL;
}

/* Threads stay until one cannot be had: it must fail as pthread_create does. */
static void fill_up(pthread_barrier_t *never)
{
    pthread_t thread;

    for (int i = 0; i < CREATIONS_UNDER_LIMIT; i++) {
        int error = pthread_create(&thread, NULL, wait_for_end, never);
        if (error != 0)
            _exit(error == EAGAIN ? 0 : CHILD_OTHER_ERROR);
    }
    _exit(CHILD_NO_ERROR);
}

static void fill_address_space(uint64_t *random)
{
    static pthread_barrier_t never;

    pthread_barrier_init(&never, NULL, CREATIONS_UNDER_LIMIT + 1);
    /* More than the process has, and less than so many stacks of 8 MiB more. */
    limit(RLIMIT_AS, churn_sample_take().size_kib * 1024 + (churn_random(random, 64) << 20));
    fill_up(&never);
}

void churn_address_space(uint64_t *random)
{
    end_child(start_child(fill_address_space, random), 0);
}

static void fill_processes(uint64_t *random)
{
    /* Root has no such limit. */
    if (setuid(NOBODY) < 0)
        _exit(CHILD_LIMIT_REFUSED);
    limit(RLIMIT_NPROC, 0);
    for (int i = 0; i < CREATIONS_UNDER_LIMIT; i++) {
        if (churn_one_thread(random) != EAGAIN)
            _exit(CHILD_NO_ERROR);
    }
}

void churn_process_limit(uint64_t *random)
{
    end_child(start_child(fill_processes, random), 0);
}

static void *write_too_much(void *argument)
{
    int file = memfd_create("churn", MFD_CLOEXEC);

    (void)argument;
    if (file < 0 || write(file, "x", 1) < 0)
        _exit(CHILD_OTHER_ERROR);
    return NULL;
}

/* A thread brings the signal of the limit upon the process, while others are created. */
static void exceed_file_size(uint64_t *random)
{
    pthread_t thread;

    limit(RLIMIT_FSIZE, 0);
    limit(RLIMIT_CORE, 0);
    signal(SIGXFSZ, SIG_DFL);
    if (pthread_create(&thread, NULL, write_too_much, NULL) != 0)
        _exit(CHILD_CREATE_FAILED);
    create_some(random);
    pthread_join(thread, NULL);
    _exit(CHILD_STILL_THERE);
}

void churn_killed_by_limit(uint64_t *random)
{
    end_child(start_child(exceed_file_size, random), SIGXFSZ);
}

void churn_killed(uint64_t *random)
{
    pid_t pid = start_child(create_for_ever, random);

    usleep((useconds_t)churn_random(random, 20000));
    kill(pid, SIGKILL);
    end_child(pid, SIGKILL);
}
