#include "detect/read_ahead.h"
#include "detect/own_memory.h"
#include "detect/root_read.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

/* The kernel hands out less than a page at a time, which ends anywhere in a line: several
 * such pieces together leave fewer lines in two, and stay in the fastest cache. */
#define PIECE_BYTES  ((size_t)32 * 1024)
#define KERNEL_BYTES ((size_t)4096)

/* What the reader may be ahead. More than stays in the cache takes longer. */
#define SLOT_BYTES ((size_t)128 * 1024)
#define SLOTS      8

/* Who is behind the other looks again after that. A wake-up for each slot would take more of the
 * reader's time, on a virtual machine, than what it reads meanwhile. */
#define LOOK_AGAIN_NS 100000

struct ring {
    _Atomic size_t filled, emptied; /* slots so far */
    atomic_bool ended;              /* no more will be filled */
    atomic_int result;              /* of the piece; not 0: no more are wanted */
    /* By the reader until they are filled, then by the other until they are emptied: */
    size_t lengths[SLOTS];
    char slots[SLOTS][SLOT_BYTES];
    read_piece *piece;
    void *context;
};

/* Fills the buffer as far as the kernel's pieces do. *ret_length 0: the end. 0 or -errno. */
static int fill(int fd, char *buffer, size_t size, size_t *ret_length)
{
    size_t length = 0;
    while (size - length >= KERNEL_BYTES) {
        ssize_t got = root_read_some(fd, buffer + length, size - length);
        if (got < 0) {
            return (int)got;
        }
        if (got == 0) {
            break;
        }
        length += (size_t)got;
    }
    *ret_length = length;
    return 0;
}

int read_pieces(int fd, read_piece *piece, void *context)
{
    char text[PIECE_BYTES];
    size_t length = 0;
    int result;
    do {
        result = fill(fd, text, sizeof(text), &length);
        if (result == 0 && length > 0) {
            result = piece(text, length, context);
        }
    } while (result == 0 && length > 0);
    return result;
}

static void wait_for_other(void)
{
    static const struct timespec moment = {0, LOOK_AGAIN_NS};
    (void)nanosleep(&moment, NULL);
}

/* Is there one more to empty? Waits for it, or for the end. */
static bool await_slot(const struct ring *ring, size_t emptied)
{
    for (;;) {
        bool ended = atomic_load(&ring->ended);
        if (atomic_load(&ring->filled) != emptied) {
            return true;
        }
        if (ended) {
            return false;
        }
        wait_for_other();
    }
}

/* The other thread. */
static void *empty_slots(void *argument)
{
    struct ring *ring = argument;
    int result = ring->piece("", 0, ring->context);
    for (size_t n = 0; result == 0 && await_slot(ring, n); n++) {
        result = ring->piece(ring->slots[n % SLOTS], ring->lengths[n % SLOTS], ring->context);
        atomic_store(&ring->emptied, n + 1);
    }
    atomic_store(&ring->result, result);
    return NULL;
}

static int fill_slots(struct ring *ring, int fd)
{
    size_t length = 1;
    int result = 0;
    for (size_t n = 0; result == 0 && length > 0; n++) {
        while (n - atomic_load(&ring->emptied) == SLOTS && atomic_load(&ring->result) == 0) {
            wait_for_other();
        }
        if (atomic_load(&ring->result) != 0) {
            break;
        }
        if (n < SLOTS) {
            own_memory_ahead(ring->slots[n], SLOT_BYTES);
        }
        result = fill(fd, ring->slots[n % SLOTS], SLOT_BYTES, &length);
        if (result == 0 && length > 0) {
            ring->lengths[n % SLOTS] = length;
            atomic_store(&ring->filled, n + 1);
        }
    }
    atomic_store(&ring->ended, true);
    return result;
}

static int read_alone(int fd, read_piece *piece, void *context)
{
    int result = piece("", 0, context);
    return result != 0 ? result : read_pieces(fd, piece, context);
}

int read_pieces_ahead(int fd, read_piece *piece, void *context)
{
    pthread_t other;
    struct ring *ring = malloc(sizeof(*ring)); /* only what is filled becomes memory */
    if (ring == NULL) {
        return read_alone(fd, piece, context);
    }
    atomic_init(&ring->filled, 0);
    atomic_init(&ring->emptied, 0);
    atomic_init(&ring->ended, false);
    atomic_init(&ring->result, 0);
    ring->piece = piece;
    ring->context = context;
    int result;
    if (pthread_create(&other, NULL, empty_slots, ring) == 0) {
        result = fill_slots(ring, fd);
        (void)pthread_join(other, NULL);
        result = result != 0 ? result : atomic_load(&ring->result);
    } else {
        result = read_alone(fd, piece, context);
    }
    free(ring);
    return result;
}
