/* Actors that check what they keep in memory and registers. */
#include "hostile.h"

#include <string.h>
#include <time.h>

#define FRAME_WORDS 512

static __attribute__((noinline)) uint64_t descend(struct actor *actor, unsigned depth)
{
    volatile uint64_t words[FRAME_WORDS];
    uint64_t seed = next_random(actor), sum = 0, below;

    for (size_t i = 0; i < FRAME_WORDS; i++)
        words[i] = seed * (i + 1);
    below = depth != 0 ? descend(actor, depth - 1) : 1;
    for (size_t i = 0; i < FRAME_WORDS; i++) {
        must(words[i] == seed * (i + 1), actor->name, "a frame has changed");
        sum += words[i];
    }
    return sum ^ below;
}

void step_deep(struct actor *actor)
{
    must(descend(actor, (unsigned)(next_random(actor) % 300)) != 0, actor->name, "no sum");
}

/* Some of it is zeros, as what is freed. */
void step_canary(struct actor *actor)
{
    volatile uint64_t words[32 * FRAME_WORDS];
    uint64_t seed = next_random(actor);

    for (size_t i = 0; i < 32 * FRAME_WORDS; i++)
        words[i] = i / FRAME_WORDS % 2 ? seed + i : 0;
    for (unsigned round = 0; round < 20; round++) {
        struct timespec pause = {0, 1000000};
        if (round % 2)
            nanosleep(&pause, NULL);
        for (size_t i = 0; i < 32 * FRAME_WORDS; i++) {
            must(words[i] == (i / FRAME_WORDS % 2 ? seed + i : 0), actor->name,
                 "memory above the stack pointer has changed");
        }
    }
}
