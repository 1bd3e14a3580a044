/* A process that makes it hard to be healed: threads that check all they have, wait in all
 * ways, get signals, leave their stack, begin and end; and that see to it that there is
 * always something to heal. Prints "ready" and runs until SIGTERM, then "whole". Exit
 * status 1, with a line that says what: something was not as it must be, or an actor does
 * not get on any more (a wake-up was lost).
 *
 * hostile COPIES [stops]
 *   stops  that threads are stopped may show where signal(7) says so
 */
#include "hostile.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define STUCK_SECONDS 60
#define STACK_BYTES   ((size_t)2 << 20)
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

static const struct {
    const char *name;
    void (*step)(struct actor *);
} cast[] = {
    {"deep", step_deep},
    {"canary", step_canary},
    {"red zone", step_red_zone},
    {"registers", step_registers},
    {"nanosleep", step_nanosleep},
    {"poll", step_poll},
    {"epoll", step_epoll},
    {"semaphore", step_semaphore},
    {"condition", step_condition},
    {"sigwait", step_sigwait},
    {"socket", step_socket},
    {"interrupted", step_interrupted},
    {"restarted", step_restarted},
    {"alternate", step_alternate},
    {"timer", step_timer},
    {"coroutines", step_coroutines},
    {"inner coroutines", step_inner_coroutines},
    {"churn", step_churn},
};
#define CAST (sizeof(cast) / sizeof(cast[0]))

bool stops_may_show;
static atomic_bool ending;
static volatile sig_atomic_t told_to_end;

void must(bool condition, const char *actor, const char *what)
{
    if (!condition) {
        printf("%s: %s\n", actor, what);
        fflush(stdout);
        _exit(1);
    }
}

uint64_t next_random(struct actor *actor)
{
    actor->seed ^= actor->seed << 13;
    actor->seed ^= actor->seed >> 7;
    actor->seed ^= actor->seed << 17;
    return actor->seed;
}

void unblock(int signal)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/* Makes the thread ill again: all below is resident, and huge pages may come. */
static void relapse(char *low)
{
    char *here = __builtin_frame_address(0);
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (size_t)(here - low);

    madvise(low, size & -page, MADV_HUGEPAGE);
    size = (size - 16384) & -page;
    if (madvise(low, size, MADV_POPULATE_WRITE) != 0) { /* Linux 5.14 */
        for (size_t i = 0; i < size; i += page)
            __atomic_fetch_or(low + i, 0, __ATOMIC_RELAXED);
    }
}

static char *own_stack(void)
{
    pthread_attr_t attr;
    void *low;
    size_t size;

    must(pthread_getattr_np(pthread_self(), &attr) == 0, "main", "pthread_getattr_np");
    pthread_attr_getstack(&attr, &low, &size);
    pthread_attr_destroy(&attr);
    return low;
}

static void *play(void *argument)
{
    struct actor *actor = argument;
    char *low = own_stack();

    while (!atomic_load(&ending)) {
        if (next_random(actor) % 4 == 0)
            relapse(low);
        actor->step(actor);
        atomic_fetch_add(&actor->steps, 1);
    }
    return NULL;
}

static void end(int signal)
{
    told_to_end = signal;
}

/* Every actor gets on, or it has missed something. */
static void watch(struct actor *actors, size_t count)
{
    unsigned long *seen = calloc(count, sizeof(*seen));
    unsigned *seconds = calloc(count, sizeof(*seconds));

    must(seen && seconds, "main", "calloc");
    while (!told_to_end) {
        sleep(1);
        for (size_t i = 0; i < count; i++) {
            unsigned long steps = atomic_load(&actors[i].steps);
            seconds[i] = steps == seen[i] ? seconds[i] + 1 : 0;
            seen[i] = steps;
            must(seconds[i] < STUCK_SECONDS, actors[i].name, "does not get on any more");
        }
    }
    for (size_t i = 0; i < count; i++)
        must(seen[i] > 0 || atomic_load(&actors[i].steps) > 0, actors[i].name, "never got on");
    free(seen);
    free(seconds);
}

int main(int argc, char **argv)
{
    size_t copies = argc > 1 ? strtoul(argv[1], NULL, 10) : 2;
    size_t count = copies * CAST;
    struct actor *actors = calloc(count, sizeof(*actors));
    struct sigaction action = {.sa_handler = end};
    pthread_attr_t attr;
    sigset_t all;

    must(actors != NULL, "main", "calloc");
    stops_may_show = argc > 2 && strcmp(argv[2], "stops") == 0;
    install_handlers();
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    pthread_attr_setguardsize(&attr, 0);
    for (size_t i = 0; i < count; i++) {
        actors[i] = (struct actor){.name = cast[i % CAST].name,
                                   .step = cast[i % CAST].step,
                                   .number = (unsigned)i,
                                   .seed = i + 1};
        must(pthread_create(&actors[i].thread, &attr, play, &actors[i]) == 0, "main",
             "pthread_create");
    }
    sigaction(SIGTERM, &action, NULL);
    unblock(SIGTERM);
    puts("ready");
    fflush(stdout);
    watch(actors, count);
    atomic_store(&ending, true);
    for (size_t i = 0; i < count; i++)
        pthread_join(actors[i].thread, NULL);
    puts("whole");
    return 0;
}
