#include "shim/cli/watch.h"
#include "shim/cli/message.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define LEAST_SECONDS 0.1
#define MOST_SECONDS  86400.0
#define PROGRESS_NS   100000000L

static volatile sig_atomic_t ended;
static bool progress_shown;

int watch_parse(const char *command, const char *text, double *ret_seconds)
{
    char *end;
    double seconds = strtod(text, &end);
    if (end == text || *end != '\0' || !(seconds >= LEAST_SECONDS && seconds <= MOST_SECONDS)) {
        message(command, "--watch: '%s' is no number of seconds from 0.1 to 86400", text);
        return -EINVAL;
    }
    *ret_seconds = seconds;
    return 0;
}

static void note_end(int number)
{
    ended = number;
}

void watch_begin(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = note_end};
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        struct sigaction before;
        /* nohup stays nohup. */
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
            (void)sigaction(signals[i], &action, NULL);
        }
    }
}

bool watch_ended(void)
{
    return ended != 0;
}

void watch_die(void)
{
    (void)signal(ended, SIG_DFL);
    (void)raise(ended);
}

void watch_clear(void)
{
    if (isatty(STDOUT_FILENO)) {
        (void)fputs("\033[H\033[2J", stdout);
    }
}

bool watch_wait(double seconds)
{
    if (fflush(stdout) != 0 || ferror(stdout) != 0) {
        return false;
    }
    struct timespec left = {.tv_sec = (time_t)seconds};
    left.tv_nsec = (long)((seconds - (double)left.tv_sec) * 1e9);
    while (!ended && nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
    return !ended;
}

void watch_progress(const char *what, unsigned long done, unsigned long all)
{
    static struct timespec last;
    struct timespec now;
    if (!isatty(STDERR_FILENO) || clock_gettime(CLOCK_MONOTONIC, &now) != 0) {
        return;
    }
    long elapsed = (long)(now.tv_sec - last.tv_sec) * 1000000000L + now.tv_nsec - last.tv_nsec;
    if (last.tv_sec != 0 && elapsed >= 0 && elapsed < PROGRESS_NS) {
        return;
    }
    /* Whatever is done within the first tenth of a second needs no progress. */
    if (last.tv_sec != 0) {
        (void)fprintf(stderr, "\r%s %lu of %lu\033[K", what, done, all);
        (void)fflush(stderr);
        progress_shown = true;
    }
    last = now;
}

void watch_progress_end(void)
{
    if (progress_shown) {
        (void)fputs("\r\033[K", stderr);
        (void)fflush(stderr);
        progress_shown = false;
    }
}
