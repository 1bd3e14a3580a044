/* churn [--seconds N] [--patience N] [--control leak|hang]
 *
 * See churn.h. Exit status: 0, or 1 where something went wrong. --control has it go wrong, to
 * show that it would be noticed. */
#include "churn.h"
#include "detect/counters_abi.h"
#include <dlfcn.h>
#include <err.h>
#include <getopt.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUND_MS = 400, SAMPLES_MAX = 16384, SAMPLES_MIN = 8 };

static const struct {
    const char *name;
    uint64_t share;
    void (*run)(uint64_t *random);
} acts[] = {
#define CHURN_ACT_ROW(name, share) {#name, share, churn_##name},
    CHURN_ACTS(CHURN_ACT_ROW)
#undef CHURN_ACT_ROW
};

struct churn_progress *churn_progress;

static unsigned seconds = 120, patience_s = 120;
static bool control_leak, control_hang;

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static enum churn_act choose(uint64_t *random)
{
    uint64_t at = churn_random(random, 100), sum = 0;
    size_t act = 0;

    while (act < CHURN_ACT_COUNT - 1 && (sum += acts[act].share) <= at)
        act++;
    return (enum churn_act)act;
}

struct worker {
    pthread_t thread;
    int number;
    uint64_t random, until_ms;
};

static void *work(void *argument)
{
    struct worker *worker = argument;

    while (now_ms() < worker->until_ms) {
        enum churn_act act = choose(&worker->random);
        atomic_store(&churn_progress->doing[worker->number], (int)act);
        acts[act].run(&worker->random);
        atomic_fetch_add(&churn_progress->done[act], 1);
    }
    return NULL;
}

static void round_of_acts(struct worker *workers)
{
    for (int i = 0; i < CHURN_WORKERS; i++) {
        workers[i].until_ms = now_ms() + ROUND_MS;
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
            errx(1, "no thread for a worker");
        atomic_fetch_add(&churn_progress->created, 1);
    }
    for (int i = 0; i < CHURN_WORKERS; i++)
        pthread_join(workers[i].thread, NULL);
}

/* Mappings of different protection, which stay apart. */
static void leak(void)
{
    for (int i = 0; i < 8; i++) {
        if (mmap(NULL, 128 << 10, PROT_READ | PROT_WRITE | (i % 2 ? PROT_EXEC : 0),
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0) == MAP_FAILED)
            err(1, "mmap");
    }
}

/* The churning process. Returns its exit status. */
static int churn(void)
{
    static struct churn_sample samples[SAMPLES_MAX];
    const struct counters *counters = dlsym(RTLD_DEFAULT, COUNTERS_SYMBOL);
    struct worker workers[CHURN_WORKERS];
    uint64_t end_ms = now_ms() + (uint64_t)seconds * 1000;
    size_t count = 0;

    for (int i = 0; i < CHURN_WORKERS; i++) {
        workers[i] =
            (struct worker){.number = i, .random = (uint64_t)now_ms() * 4 + (uint64_t)i + 1};
    }
    while (now_ms() < end_ms) {
        round_of_acts(workers);
        while (control_hang || churn_sample_take().threads > 1)
            usleep(1000);
        churn_empty_caches();
        if (control_leak)
            leak();
        if (count < SAMPLES_MAX)
            samples[count++] = churn_sample_take();
    }
    if (count < SAMPLES_MIN)
        errx(1, "only %zu rounds in %u s: too few to tell anything", count, seconds);
    for (size_t i = 0; i < CHURN_ACT_COUNT; i++)
        printf("%-16s %lu\n", acts[i].name, atomic_load(&churn_progress->done[i]));
    unsigned long created = atomic_load(&churn_progress->created);
    printf("threads created: %lu; seen by the library: %llu, flagged %llu, released %llu\n",
           created, (unsigned long long)counters->threads_seen,
           (unsigned long long)counters->threads_flagged,
           (unsigned long long)counters->tops_released);
    if (counters->threads_seen < created || counters->threads_flagged == 0)
        errx(1, "the library did not see all threads");
    return churn_samples_flat(samples, count) ? 0 : 1;
}

static unsigned long progress(void)
{
    unsigned long sum = 0;

    for (size_t i = 0; i < CHURN_ACT_COUNT; i++)
        sum += atomic_load(&churn_progress->done[i]);
    return sum;
}

static int watch(pid_t pid)
{
    unsigned long last = 0;
    uint64_t since_ms = now_ms();
    int status;

    while (waitpid(pid, &status, WNOHANG) == 0) {
        usleep(100000);
        if (progress() != last) {
            last = progress();
            since_ms = now_ms();
        }
        if (now_ms() - since_ms < (uint64_t)patience_s * 1000)
            continue;
        fprintf(stderr, "churn: nothing done for %u s; doing:", patience_s);
        for (int i = 0; i < CHURN_WORKERS; i++)
            fprintf(stderr, " %s", acts[atomic_load(&churn_progress->doing[i])].name);
        fprintf(stderr, "\n");
        kill(pid, SIGKILL);
        waitpid(pid, &status, 0);
        return 1;
    }
    if (WIFSIGNALED(status)) {
        fprintf(stderr, "churn: died by signal %d: %s\n", WTERMSIG(status),
                strsignal(WTERMSIG(status)));
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static int exec_child(void)
{
    uint64_t random = (uint64_t)getpid();

    for (int i = 0; i < 4; i++) {
        if (churn_one_thread(&random) != 0)
            return 1;
    }
    return 0;
}

static unsigned number(const char *text)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);

    if (end == text || *end || value == 0 || value > 1000000)
        errx(2, "bad number '%s'", text);
    return (unsigned)value;
}

static void parse_options(int argc, char **argv)
{
    static const struct option options[] = {
        {"seconds", required_argument, NULL, 's'},
        {"patience", required_argument, NULL, 'p'},
        {"control", required_argument, NULL, 'c'},
        {"child", no_argument, NULL, 'x'},
        {0},
    };
    int option;

    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option == '?')
            exit(2);
        if (option == 'x')
            exit(exec_child());
        if (option == 's')
            seconds = number(optarg);
        if (option == 'p')
            patience_s = number(optarg);
        if (option == 'c') {
            control_leak = strcmp(optarg, "leak") == 0;
            control_hang = strcmp(optarg, "hang") == 0;
        }
    }
}

int main(int argc, char **argv)
{
    parse_options(argc, argv);
    if (!dlsym(RTLD_DEFAULT, COUNTERS_SYMBOL))
        errx(1, "the library is not loaded: this would prove nothing");
    churn_progress = mmap(NULL, sizeof(*churn_progress), PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (churn_progress == MAP_FAILED)
        err(1, "mmap");
    pid_t pid = fork();
    if (pid < 0)
        err(1, "fork");
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        return churn();
    }
    return watch(pid);
}
