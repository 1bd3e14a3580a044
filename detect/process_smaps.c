#include "detect/process_smaps.h"
#include "detect/root_read.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define CHUNK_BYTES ((size_t)64 * 1024)
#define CHUNKS      8

/* A ring of chunks: the reader fills, the caller empties. */
struct read_ahead {
    int fd;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* Under the lock: */
    size_t filled, emptied; /* chunks so far */
    bool ended, abandoned;
    int error;
    /* By whoever has the chunk: */
    size_t lengths[CHUNKS];
    char chunks[CHUNKS][CHUNK_BYTES];
};

/* The kernel hands out a page at a time; fewer and larger pieces cost fewer wake-ups. */
static int fill_chunk(int fd, char *chunk, size_t *ret_length, bool *ret_ended)
{
    size_t length = 0;
    *ret_ended = false;
    while (CHUNK_BYTES - length >= 4096) {
        ssize_t got = root_read_some(fd, chunk + length, CHUNK_BYTES - length);
        if (got < 0) {
            return (int)got;
        }
        if (got == 0) {
            *ret_ended = true;
            break;
        }
        length += (size_t)got;
    }
    *ret_length = length;
    return 0;
}

static void *read_all(void *argument)
{
    struct read_ahead *ahead = argument;
    (void)pthread_mutex_lock(&ahead->lock);
    while (!ahead->ended && !ahead->abandoned) {
        if (ahead->filled - ahead->emptied == CHUNKS) {
            (void)pthread_cond_wait(&ahead->changed, &ahead->lock);
            continue;
        }
        size_t at = ahead->filled % CHUNKS;
        (void)pthread_mutex_unlock(&ahead->lock);
        bool ended = false;
        int error = fill_chunk(ahead->fd, ahead->chunks[at], &ahead->lengths[at], &ended);
        (void)pthread_mutex_lock(&ahead->lock);
        ahead->error = error;
        ahead->ended = ended || error != 0;
        if (error == 0) {
            ahead->filled++;
        }
        (void)pthread_cond_signal(&ahead->changed);
    }
    (void)pthread_mutex_unlock(&ahead->lock);
    return NULL;
}

/* Waits for a chunk. False at the end. */
static bool next_chunk(struct read_ahead *ahead, size_t *ret_at)
{
    (void)pthread_mutex_lock(&ahead->lock);
    while (ahead->filled == ahead->emptied && !ahead->ended) {
        (void)pthread_cond_wait(&ahead->changed, &ahead->lock);
    }
    bool is_there = ahead->filled != ahead->emptied;
    *ret_at = ahead->emptied % CHUNKS;
    (void)pthread_mutex_unlock(&ahead->lock);
    return is_there;
}

static void give_back(struct read_ahead *ahead, bool abandon)
{
    (void)pthread_mutex_lock(&ahead->lock);
    ahead->emptied++;
    ahead->abandoned = abandon;
    (void)pthread_cond_signal(&ahead->changed);
    (void)pthread_mutex_unlock(&ahead->lock);
}

static int finish(struct smaps_parser *parser, bool empty, smaps_callback *callback, void *context)
{
    /* What has no memory any more has an empty list. */
    return empty ? -ESRCH : smaps_parser_end(parser, callback, context);
}

static int parse_ahead(struct read_ahead *ahead, smaps_callback *callback, void *context)
{
    struct smaps_parser parser;
    bool empty = true;
    int result = 0;
    size_t at;
    smaps_parser_begin(&parser);
    while (result == 0 && next_chunk(ahead, &at)) {
        empty &= ahead->lengths[at] == 0;
        result =
            smaps_parser_feed(&parser, ahead->chunks[at], ahead->lengths[at], callback, context);
        give_back(ahead, result != 0);
    }
    return result != 0 ? result : finish(&parser, empty, callback, context);
}

static int open_file(int root, pid_t tid, const char *name)
{
    char path[64];
    (void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)tid, name);
    int fd = root_open(root, path);
    return fd == -ENOENT ? -ESRCH : fd;
}

int process_read_smaps(int root, pid_t tid, smaps_callback *callback, void *context)
{
    /* Static: too large for a stack, and one process is read at a time. */
    static struct read_ahead ahead = {.lock = PTHREAD_MUTEX_INITIALIZER,
                                      .changed = PTHREAD_COND_INITIALIZER};
    pthread_t reader;
    int fd = open_file(root, tid, "smaps");
    if (fd < 0) {
        return fd;
    }
    ahead.fd = fd;
    ahead.filled = ahead.emptied = 0;
    ahead.ended = ahead.abandoned = false;
    ahead.error = 0;
    int result = -pthread_create(&reader, NULL, read_all, &ahead);
    if (result == 0) {
        result = parse_ahead(&ahead, callback, context);
        (void)pthread_join(reader, NULL);
        result = ahead.error != 0 ? ahead.error : result;
    }
    root_close(fd);
    return result;
}

static int read_here(int root, pid_t tid, const char *name, smaps_callback *callback, void *context)
{
    char text[8192];
    struct smaps_parser parser;
    int fd = open_file(root, tid, name);
    if (fd < 0) {
        return fd;
    }
    bool empty = true;
    int result = 0;
    ssize_t length = 0;
    smaps_parser_begin(&parser);
    while (result == 0 && (length = root_read_some(fd, text, sizeof(text))) > 0) {
        empty = false;
        result = smaps_parser_feed(&parser, text, (size_t)length, callback, context);
    }
    root_close(fd);
    if (result == 0) {
        result = length < 0 ? (int)length : finish(&parser, empty, callback, context);
    }
    return result;
}

int process_read_smaps_here(int root, pid_t tid, smaps_callback *callback, void *context)
{
    return read_here(root, tid, "smaps", callback, context);
}

int process_read_maps(int root, pid_t tid, smaps_callback *callback, void *context)
{
    return read_here(root, tid, "maps", callback, context);
}
