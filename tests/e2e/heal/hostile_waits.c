/* Actors that wait, in the ways there are. Nobody sends them signals: no wait may end with
 * EINTR, or early. */
#include "hostile.h"

#include <errno.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define WAIT_NS 15000000

static bool stopped(void)
{
    return stops_may_show && errno == EINTR;
}

static int64_t now_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static struct timespec in_a_while(clockid_t clock)
{
    int64_t then = now_ns(clock) + WAIT_NS;
    return (struct timespec){then / 1000000000, then % 1000000000};
}

void step_nanosleep(struct actor *actor)
{
    struct timespec wait = {0, WAIT_NS};
    int64_t start = now_ns(CLOCK_MONOTONIC);

    must(nanosleep(&wait, NULL) == 0, actor->name, "was interrupted");
    must(now_ns(CLOCK_MONOTONIC) - start >= WAIT_NS, actor->name, "slept too short");
}

void step_poll(struct actor *actor)
{
    int64_t start = now_ns(CLOCK_MONOTONIC);

    must(poll(NULL, 0, WAIT_NS / 1000000) == 0, actor->name, "was interrupted");
    must(now_ns(CLOCK_MONOTONIC) - start >= WAIT_NS, actor->name, "waited too short");
}

void step_epoll(struct actor *actor)
{
    int fd = epoll_create1(0);
    struct epoll_event event;

    for (unsigned i = 0; i < 20; i++) {
        must(epoll_wait(fd, &event, 1, WAIT_NS / 1000000) == 0 || stopped(), actor->name,
             "was interrupted");
    }
    close(fd);
}

struct pair {
    sem_t ping, pong;
    unsigned long number;
};

static void *answer(void *argument)
{
    struct pair *pair = argument;

    for (unsigned i = 0; i < 50; i++) {
        while (sem_wait(&pair->ping) != 0)
            must(false, "semaphore", "was interrupted");
        pair->number++;
        sem_post(&pair->pong);
    }
    return NULL;
}

void step_semaphore(struct actor *actor)
{
    struct pair pair = {.number = 0};
    pthread_t thread;

    sem_init(&pair.ping, 0, 0);
    sem_init(&pair.pong, 0, 0);
    must(pthread_create(&thread, NULL, answer, &pair) == 0, actor->name, "pthread_create");
    for (unsigned i = 0; i < 50; i++) {
        sem_post(&pair.ping);
        must(sem_wait(&pair.pong) == 0, actor->name, "was interrupted");
        must(pair.number == i + 1, actor->name, "woken too early");
    }
    pthread_join(thread, NULL);
}

void step_condition(struct actor *actor)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    struct timespec then = in_a_while(CLOCK_REALTIME);
    int result;

    pthread_mutex_lock(&mutex);
    while ((result = pthread_cond_timedwait(&condition, &mutex, &then)) == 0)
        ;
    pthread_mutex_unlock(&mutex);
    must(result == ETIMEDOUT, actor->name, "a wait with an end did not end");
}

void step_sigwait(struct actor *actor)
{
    struct timespec wait = {0, WAIT_NS};
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    must(sigtimedwait(&set, NULL, &wait) == -1 && (errno == EAGAIN || stopped()), actor->name,
         "was interrupted");
    pthread_kill(pthread_self(), SIGRTMIN);
    must(sigtimedwait(&set, NULL, &wait) == SIGRTMIN, actor->name, "the signal is lost");
}

/* A socket with a timeout: the kernel does not start that again by itself. */
void step_socket(struct actor *actor)
{
    struct timeval timeout = {0, WAIT_NS / 1000};
    int fds[2];
    char byte;

    must(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0, actor->name, "socketpair");
    setsockopt(fds[0], SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
    for (unsigned i = 0; i < 20; i++) {
        must(recv(fds[0], &byte, 1, 0) == -1 && (errno == EAGAIN || stopped()), actor->name,
             "was interrupted");
    }
    close(fds[0]);
    close(fds[1]);
}
