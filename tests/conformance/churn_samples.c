/* Is anything left behind? Looked at while the process has one thread. */
#include "churn.h"
#include "detect/counters_abi.h"
#include <dlfcn.h>
#include <err.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* What differs for other reasons: where malloc's arenas and the stack cache happen to lie. */
enum { MAP_ENTRIES_SLACK = 16, RSS_SLACK_KIB = 2048 };

static size_t status_number(const char *field)
{
    char line[256];
    size_t number = 0;
    FILE *file = fopen("/proc/self/status", "re");

    if (!file)
        err(1, "/proc/self/status");
    while (fgets(line, sizeof(line), file)) {
        if (strncmp(line, field, strlen(field)) == 0)
            sscanf(line + strlen(field), ": %zu", &number);
    }
    fclose(file);
    return number;
}

static size_t count_map_entries(void)
{
    size_t lines = 0;
    FILE *file = fopen("/proc/self/maps", "re");

    if (!file)
        err(1, "/proc/self/maps");
    for (int c = getc(file); c != EOF; c = getc(file))
        lines += c == '\n';
    fclose(file);
    return lines;
}

struct churn_sample churn_sample_take(void)
{
    const struct counters *counters = dlsym(RTLD_DEFAULT, COUNTERS_SYMBOL);

    return (struct churn_sample){
        .map_entries = count_map_entries(),
        .rss_kib = status_number("VmRSS"),
        .size_kib = status_number("VmSize"),
        .threads = status_number("Threads"),
        .pool_empty = counters ? counters->left_alone_pool_empty : 0,
    };
}

static void *nothing(void *argument)
{
    return argument;
}

void churn_empty_caches(void)
{
    pthread_attr_t attr;
    pthread_t thread;

    /* glibc keeps 40 MiB of stacks: one of more than that drives all others out, and itself. */
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, (size_t)48 << 20);
    if (pthread_create(&thread, &attr, nothing, NULL) != 0 || pthread_join(thread, NULL) != 0)
        errx(1, "no thread to empty the stack cache with");
    pthread_attr_destroy(&attr);
    malloc_trim(0);
}

static int compare_sizes(size_t before, size_t now, size_t slack, const char *what)
{
    printf("%s: %zu, later %zu\n", what, before, now);
    return now > before + slack;
}

int churn_samples_flat(const struct churn_sample *samples, size_t count)
{
    struct churn_sample before = {0}, now = {0};
    int leaks = 0;

    /* The most of the second quarter, the least of the last: what grows all the time shows. */
    for (size_t i = count / 4; i < count / 2; i++) {
        before.map_entries = samples[i].map_entries > before.map_entries ? samples[i].map_entries
                                                                         : before.map_entries;
        before.rss_kib = samples[i].rss_kib > before.rss_kib ? samples[i].rss_kib : before.rss_kib;
    }
    now = samples[count - 1];
    for (size_t i = count - count / 4; i < count; i++) {
        now.map_entries =
            samples[i].map_entries < now.map_entries ? samples[i].map_entries : now.map_entries;
        now.rss_kib = samples[i].rss_kib < now.rss_kib ? samples[i].rss_kib : now.rss_kib;
    }
    leaks += compare_sizes(before.map_entries, now.map_entries, MAP_ENTRIES_SLACK, "map entries");
    leaks += compare_sizes(before.rss_kib, now.rss_kib, RSS_SLACK_KIB, "RSS in KiB");
    leaks += compare_sizes(0, now.pool_empty, 0, "threads without a start record");
    return leaks == 0;
}
