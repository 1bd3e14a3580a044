/* Memory in use is pretouched: nothing that a program does to it may be lost. */
#include "shim/pretouch.h"
#include "tests/unit/fixture_root.h"
#include "tests/unit/seccomp_madvise.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <sys/mman.h>

#define PAGES    64
#define TOUCHERS 7
#define ROUNDS   UINT64_C(250000) /* for each of the writers */

struct hammer {
    unsigned char *memory;
    size_t page;
    void (*touch_all)(const struct hammer *);
    _Atomic bool over;
    _Atomic uint64_t lost;
};

/* At the start of a page: that is the word that is touched. */
static uint64_t *word_at(const struct hammer *hammer, uint64_t round)
{
    return (uint64_t *)(hammer->memory + round % PAGES * hammer->page);
}

static void *add(void *argument)
{
    struct hammer *hammer = argument;
    for (uint64_t i = 0; i < ROUNDS; i++) {
        __atomic_fetch_add(word_at(hammer, i), 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

static void *swap(void *argument)
{
    struct hammer *hammer = argument;
    for (uint64_t i = 0; i < ROUNDS; i++) {
        uint64_t *word = word_at(hammer, i);
        uint64_t seen = __atomic_load_n(word, __ATOMIC_RELAXED);
        while (!__atomic_compare_exchange_n(word, &seen, seen + 1, true, __ATOMIC_RELAXED,
                                            __ATOMIC_RELAXED)) {
        }
    }
    return NULL;
}

/* The only writer: what it reads back must be what it wrote last. */
static void *store(void *argument)
{
    struct hammer *hammer = argument;
    for (uint64_t i = 0; i < ROUNDS; i++) {
        uint64_t *word = word_at(hammer, i);
        uint64_t expected = i / PAGES;
        if (__atomic_load_n(word, __ATOMIC_RELAXED) != expected) {
            hammer->lost++;
        }
        __atomic_store_n(word, expected + 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

/* Values only go up. */
static void *read_all(void *argument)
{
    struct hammer *hammer = argument;
    uint64_t last[PAGES] = {0};
    while (!hammer->over) {
        for (size_t i = 0; i < PAGES; i++) {
            uint64_t seen = __atomic_load_n(word_at(hammer, i), __ATOMIC_RELAXED);
            hammer->lost += seen < last[i];
            last[i] = seen;
        }
    }
    return NULL;
}

static void *touch(void *argument)
{
    struct hammer *hammer = argument;
    while (!hammer->over) {
        hammer->touch_all(hammer);
    }
    return NULL;
}

static void touch_memory(const struct hammer *hammer, enum pretouch_memory memory)
{
    struct pretouch_result result =
        pretouch((uintptr_t)hammer->memory, PAGES * hammer->page, hammer->page, memory);
    CHILD_REQUIRE(result.error == 0);
}

static void touch_safely(const struct hammer *hammer)
{
    touch_memory(hammer, PRETOUCH_MAY_VANISH);
}

static void touch_directly(const struct hammer *hammer)
{
    touch_memory(hammer, PRETOUCH_STAYS);
}

/* How it must not be done: what another thread writes between the two is lost. */
static void touch_carelessly(const struct hammer *hammer)
{
    for (size_t i = 0; i < PAGES; i++) {
        uint64_t *word = word_at(hammer, i);
        uint64_t value = __atomic_load_n(word, __ATOMIC_RELAXED);
        for (volatile int wait = 0; wait < 100; wait++) {
        }
        __atomic_store_n(word, value, __ATOMIC_RELAXED);
    }
}

static uint64_t hammer_with(void *(*writer)(void *), size_t writers,
                            void (*touch_all)(const struct hammer *))
{
    struct hammer hammer = {.page = (size_t)sysconf(_SC_PAGESIZE), .touch_all = touch_all};
    hammer.memory =
        mmap(NULL, PAGES * hammer.page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHILD_REQUIRE(hammer.memory != MAP_FAILED);
    pthread_t helpers[TOUCHERS + 1], hammers[2];
    for (size_t i = 0; i < TOUCHERS + 1; i++) {
        CHILD_REQUIRE(pthread_create(&helpers[i], NULL, i < TOUCHERS ? touch : read_all, &hammer) ==
                      0);
    }
    for (size_t i = 0; i < writers; i++) {
        CHILD_REQUIRE(pthread_create(&hammers[i], NULL, writer, &hammer) == 0);
    }
    for (size_t i = 0; i < writers; i++) {
        CHILD_REQUIRE(pthread_join(hammers[i], NULL) == 0);
    }
    hammer.over = true;
    for (size_t i = 0; i < TOUCHERS + 1; i++) {
        CHILD_REQUIRE(pthread_join(helpers[i], NULL) == 0);
    }
    uint64_t sum = 0;
    for (size_t i = 0; i < PAGES; i++) {
        sum += *word_at(&hammer, i);
    }
    return hammer.lost + (writers * ROUNDS - sum);
}

static uint64_t hammer_all(void (*touch_all)(const struct hammer *))
{
    return hammer_with(add, 2, touch_all) + hammer_with(swap, 2, touch_all) +
           hammer_with(store, 1, touch_all);
}

static void check_populate(void *unused)
{
    (void)unused;
    CHILD_REQUIRE(hammer_all(touch_safely) == 0);
}

static void check_fallback(void *unused)
{
    (void)unused;
    CHILD_REQUIRE(answer_populate(SECCOMP_RET_ERRNO | EINVAL));
    CHILD_REQUIRE(hammer_all(touch_directly) == 0);
    CHILD_REQUIRE(hammer_all(touch_safely) == 0);
}

static void check_careless(void *unused)
{
    (void)unused;
    CHILD_REQUIRE(hammer_all(touch_carelessly) != 0);
}

Test(pretouch_concurrent, as_the_kernel_is_nothing_is_lost)
{
    fixture_in_child(check_populate, NULL);
}

Test(pretouch_concurrent, without_the_advice_nothing_is_lost)
{
    fixture_in_child(check_fallback, NULL);
}

/* The control: these writers notice. */
Test(pretouch_concurrent, a_careless_touch_loses_updates)
{
    fixture_in_child(check_careless, NULL);
}
