/* Signals that hit a thread in its first moments find a stack that can be used, and what
 * their handlers leave alone stays as it was. */
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/memory.h"
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>

#define THREADS          1000
#define SIGNALS_A_THREAD 20

static atomic_int handled;

static void on_signal(int signal_number)
{
    int before = errno;
    stack_fill((size_t)8 * 1024, (unsigned char)signal_number, NULL, NULL);
    atomic_fetch_add(&handled, 1);
    errno = before;
}

static void *use_stack(void *argument)
{
    CHECK_EQUAL(errno, 0);
    stack_fill((size_t)64 * 1024, (unsigned char)(uintptr_t)argument, NULL, NULL);
    return argument;
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    pthread_attr_t attrs[2];
    CHECK_OK(sigaction(SIGUSR1, &action, NULL));
    make_attr(&attrs[0], (size_t)2 << 20, 0);
    make_attr(&attrs[1], (size_t)8 << 20, 4096);
    for (uintptr_t i = 0; i < THREADS; i++) {
        pthread_t thread;
        void *result;
        CHECK_OK(pthread_create(&thread, &attrs[i % 2], use_stack, (void *)i));
        for (int n = 0; n < SIGNALS_A_THREAD; n++) {
            /* To a thread that has ended: 0 from glibc 2.34 on. */
            int killed = pthread_kill(thread, SIGUSR1);
            CHECK(killed == 0 || killed == ESRCH);
        }
        CHECK_OK(pthread_join(thread, &result));
        CHECK_EQUAL((uintptr_t)result, i);
    }
    CHECK(handled > 0);
    return finish();
}
