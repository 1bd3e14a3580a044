#include "shim/bare_start.h"

#include "shim/futex.h"

/* The words: the number of the turn, in steps, what has become of it, and whether somebody sleeps
 * until the word changes. */
#define TURN_STEP     UINT32_C(8)
#define STATE         UINT32_C(6)
#define STATE_OVER    UINT32_C(0)
#define STATE_STARTS  UINT32_C(2)
#define STATE_CLAIMED UINT32_C(4) /* of a start, not of the last turn */
#define AWAITED       UINT32_C(1)

/* Where a wait is nearly over, to sleep and be woken takes longer, above all in a virtual
 * machine. */
#define SPINS 400

static uint32_t last_turn;

static uint32_t load(const uint32_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static bool change(uint32_t *word, uint32_t seen, uint32_t value)
{
    return __atomic_compare_exchange_n(word, &seen, value, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED);
}

static void wake(uint32_t *word)
{
    int saved = errno;
    futex_wake(word, INT_MAX);
    errno = saved;
}

/* From one state of a turn to another, unless it is in neither. */
static bool move(uint32_t *word, uint32_t from, uint32_t to)
{
    if (change(word, from, to)) {
        return true;
    }
    if (!change(word, from | AWAITED, to)) {
        return false;
    }
    wake(word);
    return true;
}

static void spin_while(const uint32_t *word, uint32_t state)
{
    for (unsigned i = 0; i < SPINS && (load(word) & STATE) == state; i++) {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        __asm__ volatile("yield");
#endif
    }
}

/* Until the word is no longer what was seen: 0, or as futex_wait. */
static int sleep_while(uint32_t *word, uint32_t seen, uint64_t deadline_ns)
{
    if ((seen & AWAITED) == 0 && !change(word, seen, seen | AWAITED)) {
        return 0;
    }
    int saved = errno;
    int result = futex_wait(word, seen | AWAITED, deadline_ns);
    errno = saved;
    return result;
}

/* False at the deadline, which begins with the first wait. */
static bool wait_for_the_last(uint32_t seen, uint64_t *deadline_ns)
{
    if (*deadline_ns != 0) {
        return sleep_while(&last_turn, seen, *deadline_ns) == 0;
    }
    *deadline_ns = futex_now_ns() + BARE_START_LIMIT_NS;
    spin_while(&last_turn, STATE_STARTS);
    return true;
}

uint32_t bare_start_begin(struct bare_start *ret_start)
{
    uint64_t deadline_ns = 0;
    bool late = false;
    for (;;) {
        uint32_t seen = load(&last_turn);
        if ((seen & STATE) != STATE_OVER && !late) {
            late = !wait_for_the_last(seen, &deadline_ns);
            continue;
        }
        /* Who sleeps while another passes it wakes with the end of that one's turn. */
        uint32_t turn = (seen & ~(STATE | AWAITED)) + TURN_STEP;
        if (turn == 0) {
            turn = TURN_STEP;
        }
        if (change(&last_turn, seen, turn | STATE_STARTS | (seen & AWAITED))) {
            __atomic_store_n(&ret_start->word, turn | STATE_STARTS, __ATOMIC_RELAXED);
            return turn;
        }
    }
}

bool bare_start_claim(struct bare_start *start, uint32_t turn)
{
    return change(&start->word, turn | STATE_STARTS, turn | STATE_CLAIMED);
}

void bare_start_release(struct bare_start *start, uint32_t turn, bool flagged)
{
    /* The next may begin before the thread goes on: it has its flag. */
    if (flagged) {
        (void)move(&last_turn, turn | STATE_STARTS, turn | STATE_OVER);
    }
    (void)move(&start->word, turn | STATE_CLAIMED, turn | (flagged ? STATE_OVER : STATE_STARTS));
}

bool bare_start_is_over(const struct bare_start *start)
{
    return (load(&start->word) & STATE) == STATE_OVER;
}

void bare_start_end(struct bare_start *start)
{
    for (;;) {
        uint32_t seen = load(&start->word), turn = seen & ~(STATE | AWAITED);
        switch (seen & STATE) {
        case STATE_CLAIMED:
            spin_while(&start->word, STATE_CLAIMED);
            (void)sleep_while(&start->word, seen, UINT64_MAX);
            break;
        case STATE_STARTS:
            if (change(&start->word, seen, turn | STATE_OVER)) {
                (void)move(&last_turn, turn | STATE_STARTS, turn | STATE_OVER);
                return;
            }
            break;
        default:
            return;
        }
    }
}
