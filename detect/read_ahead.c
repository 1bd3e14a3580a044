#include "detect/read_ahead.h"
#include "detect/root_read.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

/* The kernel hands out less than a page at a time, which ends anywhere in a line: several
 * such pieces together leave fewer lines in two, and stay in the fastest cache. */
#define PIECE_BYTES  ((size_t)32 * 1024)
#define KERNEL_BYTES ((size_t)4096)

/* What the reader may be ahead; larger pieces, as each wakes the other thread. */
#define SLOT_BYTES ((size_t)128 * 1024)
#define SLOTS      8

struct ring {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* Under the lock: */
    size_t filled, emptied; /* slots so far */
    bool ended;             /* no more will be filled */
    bool is_awaited;        /* one of the two waits for the other */
    int result;             /* of the piece; not 0: no more are wanted */
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

static void wait_for_other(struct ring *ring)
{
    ring->is_awaited = true;
    (void)pthread_cond_wait(&ring->changed, &ring->lock);
}

static void tell_other(struct ring *ring)
{
    if (ring->is_awaited) {
        ring->is_awaited = false;
        (void)pthread_cond_signal(&ring->changed);
    }
}

/* The other thread. */
static void *empty_slots(void *argument)
{
    struct ring *ring = argument;
    int result = ring->piece("", 0, ring->context);
    (void)pthread_mutex_lock(&ring->lock);
    for (; result == 0; ring->emptied++, tell_other(ring)) {
        while (ring->filled == ring->emptied && !ring->ended) {
            wait_for_other(ring);
        }
        if (ring->filled == ring->emptied) {
            break;
        }
        size_t at = ring->emptied % SLOTS;
        (void)pthread_mutex_unlock(&ring->lock);
        result = ring->piece(ring->slots[at], ring->lengths[at], ring->context);
        (void)pthread_mutex_lock(&ring->lock);
    }
    ring->result = result;
    tell_other(ring);
    (void)pthread_mutex_unlock(&ring->lock);
    return NULL;
}

static int fill_slots(struct ring *ring, int fd)
{
    size_t length = 1;
    int result = 0;
    (void)pthread_mutex_lock(&ring->lock);
    for (; result == 0 && length > 0; tell_other(ring)) {
        while (ring->filled - ring->emptied == SLOTS && ring->result == 0) {
            wait_for_other(ring);
        }
        if (ring->result != 0) {
            break;
        }
        size_t at = ring->filled % SLOTS;
        (void)pthread_mutex_unlock(&ring->lock);
        result = fill(fd, ring->slots[at], SLOT_BYTES, &length);
        (void)pthread_mutex_lock(&ring->lock);
        if (result == 0 && length > 0) {
            ring->lengths[at] = length;
            ring->filled++;
        }
    }
    ring->ended = true;
    tell_other(ring);
    (void)pthread_mutex_unlock(&ring->lock);
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
    ring->filled = ring->emptied = 0;
    ring->ended = ring->is_awaited = false;
    ring->result = 0;
    ring->piece = piece;
    ring->context = context;
    (void)pthread_mutex_init(&ring->lock, NULL);
    (void)pthread_cond_init(&ring->changed, NULL);
    int result;
    if (pthread_create(&other, NULL, empty_slots, ring) == 0) {
        result = fill_slots(ring, fd);
        (void)pthread_join(other, NULL);
        result = result != 0 ? result : ring->result;
    } else {
        result = read_alone(fd, piece, context);
    }
    (void)pthread_cond_destroy(&ring->changed);
    (void)pthread_mutex_destroy(&ring->lock);
    free(ring);
    return result;
}
