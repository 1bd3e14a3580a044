/* Actors that get signals. */
#include "hostile.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static _Thread_local volatile unsigned handled;

static void count(int signal)
{
    (void)signal;
    handled++;
}

/* Long enough to be met in the middle, and deep enough to be below the frames that it
 * interrupted only if they are still there. */
static void on_other_stack(int signal)
{
    volatile uint64_t words[1024];
    struct timespec pause = {0, 500000};

    for (size_t i = 0; i < 1024; i++)
        words[i] = i * (uint64_t)signal;
    nanosleep(&pause, NULL);
    for (size_t i = 0; i < 1024; i++)
        must(words[i] == i * (uint64_t)signal, "alternate", "memory of a handler has changed");
    handled++;
}

void install_handlers(void)
{
    struct sigaction action = {.sa_handler = count};

    sigaction(SIGNAL_PLAIN, &action, NULL);
    action.sa_flags = SA_RESTART;
    sigaction(SIGNAL_RESTART, &action, NULL);
    sigaction(SIGNAL_TIMER, &action, NULL);
    action.sa_handler = on_other_stack;
    action.sa_flags = SA_ONSTACK | SA_RESTART;
    sigaction(SIGNAL_STACK, &action, NULL);
}

struct reader {
    int fds[2], signal;
    atomic_int tid, result; /* result: INT32_MIN while it reads */
    atomic_uint handled;
};
#define READING INT32_MIN

static void *read_one(void *argument)
{
    struct reader *reader = argument;
    char byte;

    handled = 0;
    unblock(reader->signal);
    atomic_store(&reader->tid, (int)syscall(SYS_gettid));
    int result = (int)read(reader->fds[0], &byte, 1);
    atomic_store(&reader->handled, handled);
    atomic_store(&reader->result, result == 1 ? byte : -errno);
    return NULL;
}

/* Until the kernel says that it is in read(2) and waits. */
static void await_reading(const struct reader *reader)
{
    char path[64], text[64];
    long call;

    while (atomic_load(&reader->tid) == 0)
        sched_yield();
    snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", atomic_load(&reader->tid));
    for (;;) {
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        ssize_t length = read(fd, text, sizeof(text) - 1);
        close(fd);
        text[length > 0 ? length : 0] = '\0';
        if (sscanf(text, "%ld ", &call) == 1 && call == SYS_read)
            return;
        sched_yield();
    }
}

static void read_with_signal(struct actor *actor, int signal, int expected)
{
    struct reader reader = {.signal = signal, .result = READING};
    pthread_t thread;
    struct timespec pause = {0, (long)(next_random(actor) % 3000000)};

    must(pipe(reader.fds) == 0, actor->name, "pipe");
    must(pthread_create(&thread, NULL, read_one, &reader) == 0, actor->name, "pthread_create");
    await_reading(&reader);
    nanosleep(&pause, NULL);
    must(atomic_load(&reader.result) == READING, actor->name, "read returned before the signal");
    pthread_kill(thread, signal);
    if (expected > 0) {
        nanosleep(&pause, NULL);
        must(atomic_load(&reader.result) == READING, actor->name, "the signal interrupted a read");
        must(write(reader.fds[1], "!", 1) == 1, actor->name, "write");
    }
    pthread_join(thread, NULL);
    must(atomic_load(&reader.result) == expected, actor->name, "read returned something else");
    must(atomic_load(&reader.handled) == 1, actor->name, "the handler did not run once");
    close(reader.fds[0]);
    close(reader.fds[1]);
}

/* Should the EINTR be lost, the read never ends. */
void step_interrupted(struct actor *actor)
{
    read_with_signal(actor, SIGNAL_PLAIN, -EINTR);
}

void step_restarted(struct actor *actor)
{
    read_with_signal(actor, SIGNAL_RESTART, '!');
}

static __attribute__((noinline)) void below(struct actor *actor)
{
    volatile uint64_t words[2048];
    uint64_t seed = next_random(actor);

    for (size_t i = 0; i < 2048; i++)
        words[i] = seed + i;
    pthread_kill(pthread_self(), SIGNAL_STACK);
    for (size_t i = 0; i < 2048; i++)
        must(words[i] == seed + i, actor->name, "memory below a handler's stack has changed");
}

/* The handler's stack lies above the frames that it interrupts. */
void step_alternate(struct actor *actor)
{
    char area[65536];
    stack_t stack = {.ss_sp = area, .ss_size = sizeof(area)};

    must(sigaltstack(&stack, NULL) == 0, actor->name, "sigaltstack");
    unblock(SIGNAL_STACK);
    handled = 0;
    for (unsigned i = 0; i < 20; i++)
        below(actor);
    must(handled == 20, actor->name, "a signal is lost");
    stack.ss_flags = SS_DISABLE;
    must(sigaltstack(&stack, NULL) == 0, actor->name, "sigaltstack");
}

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

/* Exactly as many signals as the timer says. */
void step_timer(struct actor *actor)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGNAL_TIMER};
    struct itimerspec every = {{0, 1000000}, {0, 1000000}}, off = {{0, 0}, {0, 0}};
    sigset_t none;
    timer_t timer;

    unblock(SIGNAL_TIMER);
    pthread_sigmask(SIG_SETMASK, NULL, &none);
    event.sigev_notify_thread_id = (int)syscall(SYS_gettid);
    handled = 0;
    must(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0, actor->name, "timer_create");
    timer_settime(timer, 0, &every, NULL);
    while (handled < 20)
        must(sigsuspend(&none) == -1 && errno == EINTR, actor->name, "sigsuspend returned");
    timer_settime(timer, 0, &off, NULL);
    timer_delete(timer);
}
