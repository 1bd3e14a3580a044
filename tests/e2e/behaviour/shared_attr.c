/* One attr, eight threads that create with it at once. */
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/memory.h"
#include <string.h>

#define CREATORS 8
#define ROUNDS   300

static pthread_attr_t shared;
static pthread_barrier_t start;

static void *look(void *argument)
{
    size_t *ret_size = argument;
    struct live_stack stack;
    live_stack_of_caller(&stack);
    *ret_size = stack.size_bytes;
    return NULL;
}

static void *creates(void *argument)
{
    pthread_barrier_wait(&start);
    for (int i = 0; i < ROUNDS; i++) {
        size_t size;
        run_thread(&shared, look, &size);
        CHECK(size >= (size_t)2 << 20);
    }
    return argument;
}

int main(void)
{
    pthread_t creators[CREATORS];
    pthread_attr_t before;
    make_attr(&shared, (size_t)2 << 20, 0);
    memcpy(&before, &shared, sizeof(before));
    CHECK_OK(pthread_barrier_init(&start, NULL, CREATORS));
    for (int i = 0; i < CREATORS; i++) {
        CHECK_OK(pthread_create(&creators[i], &shared, creates, NULL));
    }
    for (int i = 0; i < CREATORS; i++) {
        CHECK_OK(pthread_join(creators[i], NULL));
    }
    CHECK(memcmp(&before, &shared, sizeof(before)) == 0);
    CHECK_OK(pthread_attr_destroy(&shared));
    return finish();
}
