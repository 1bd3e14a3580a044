/* A small program for the drivers to run (probe_run.h): makes a thread and says, one
 * NAME=value a line, what the library did, and what a child would inherit. With the
 * argument "fork", a forked child of it exits first. */
#include "detect/counters_abi.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

static void *nothing(void *argument)
{
    return argument;
}

static int make_thread(void)
{
    pthread_attr_t attr;
    pthread_t thread;
    if (pthread_attr_init(&attr) != 0 || pthread_attr_setstacksize(&attr, (size_t)2 << 20) != 0 ||
        pthread_attr_setguardsize(&attr, 0) != 0) {
        return -1;
    }
    int result = pthread_create(&thread, &attr, nothing, NULL);
    return result != 0 ? result : pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "fork") == 0) {
        pid_t pid = fork();
        if (pid == 0) {
            return make_thread();
        }
        if (waitpid(pid, NULL, 0) != pid) {
            return EXIT_FAILURE;
        }
    }
    printf("thread=%d\n", make_thread());
    const char *preload = getenv("LD_PRELOAD");
    printf("preload=%s\n", preload != NULL ? preload : "(unset)");
    printf("secure=%lu\n", getauxval(AT_SECURE));
    const struct counters *counters = dlsym(RTLD_DEFAULT, COUNTERS_SYMBOL);
    printf("loaded=%d\n", counters != NULL);
    if (counters != NULL) {
#define PRINT(field, help) printf(#field "=%llu\n", (unsigned long long)counters->field);
        COUNTERS(PRINT)
#undef PRINT
    }
    return EXIT_SUCCESS;
}
