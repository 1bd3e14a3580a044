/* A service: some idle threads with stacks of 2 MiB, and one more for each line that it reads,
 * which it then answers. Ends with its input. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *idle(void *argument)
{
    for (;;) {
        pause();
    }
    return argument;
}

int main(void)
{
    pthread_attr_t attr;
    pthread_t thread;
    char line[64];

    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 2 << 20);
    for (int i = 0; i < 20; i++) {
        if (pthread_create(&thread, &attr, idle, NULL) != 0) {
            return 1;
        }
    }
    puts("ready");
    fflush(stdout);
    while (fgets(line, sizeof(line), stdin) != NULL) {
        if (pthread_create(&thread, &attr, idle, NULL) != 0) {
            return 1;
        }
        printf("one more for %s", line);
        fflush(stdout);
    }
    return 0;
}
