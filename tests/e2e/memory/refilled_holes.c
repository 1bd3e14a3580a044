/* refilled_holes: threads in a row, of which every second one ends; the program maps memory of
 * its own where their stacks were. Then the kernel is asked, for each stack that is left, to make
 * the block that reaches out of its top a huge page. Prints collapsed=N, or exits with 77 where
 * the kernel cannot be asked (MADV_COLLAPSE, Linux 6.1).
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

#define THREADS     200
#define STACK_BYTES ((size_t)2 << 20)
#define THP_BYTES   ((uintptr_t)2 << 20)
#define PAGE_BYTES  ((size_t)4096)

static struct thread {
    pthread_t id;
    sem_t ready, end;
    uintptr_t low, high;
} threads[THREADS];

static void must(int result, const char *what)
{
    if (result != 0) {
        fprintf(stderr, "refilled_holes: %s: %s\n", what, strerror(result));
        exit(EXIT_FAILURE);
    }
}

static void *run(void *argument)
{
    struct thread *self = argument;
    pthread_attr_t attr;
    void *low;
    size_t size;

    must(pthread_getattr_np(pthread_self(), &attr), "pthread_getattr_np");
    must(pthread_attr_getstack(&attr, &low, &size), "pthread_attr_getstack");
    pthread_attr_destroy(&attr);
    self->low = (uintptr_t)low;
    self->high = self->low + size;
    sem_post(&self->ready);
    while (sem_wait(&self->end) != 0)
        continue;
    return NULL;
}

int main(void)
{
    pthread_attr_t attr;
    size_t collapsed = 0;

    must(pthread_attr_init(&attr), "pthread_attr_init");
    must(pthread_attr_setstacksize(&attr, STACK_BYTES), "pthread_attr_setstacksize");
    for (size_t i = 0; i < THREADS; i++) {
        sem_init(&threads[i].ready, 0, 0);
        sem_init(&threads[i].end, 0, 0);
        must(pthread_create(&threads[i].id, &attr, run, &threads[i]), "pthread_create");
        while (sem_wait(&threads[i].ready) != 0)
            continue;
    }
    for (size_t i = 0; i < THREADS; i += 2) {
        sem_post(&threads[i].end);
        must(pthread_join(threads[i].id, NULL), "pthread_join");
    }
    /* As large as what a stack and its guard took. */
    size_t hole_bytes = threads[0].high - threads[0].low + PAGE_BYTES;
    for (size_t i = 0; i < THREADS; i += 2) {
        void *memory =
            mmap(NULL, hole_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        must(memory == MAP_FAILED ? errno : 0, "mmap");
        memset(memory, 1, hole_bytes);
    }
    for (size_t i = 1; i < THREADS; i += 2) {
        if (threads[i].high % THP_BYTES == 0)
            continue; /* nothing of the stack is in the block above it */
        void *block = (void *)(threads[i].high & ~(THP_BYTES - 1));
        if (madvise(block, THP_BYTES, MADV_COLLAPSE) == 0) {
            collapsed++;
        } else if (i == 1) {
            /* An advice that the kernel does not know fails on any memory. */
            void *memory =
                mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            int known = madvise(memory, 0, MADV_COLLAPSE) == 0;
            if (!known)
                return 77;
        }
    }
    printf("collapsed=%zu\n", collapsed);
    return 0;
}
