/* A long text of /proc, in pieces: the kernel takes many times as long to write it as we to
 * understand it.
 */
#ifndef THPFIX_DETECT_READ_AHEAD_H
#define THPFIX_DETECT_READ_AHEAD_H

#include <stddef.h>

/* Called with piece after piece; non-zero ends it. */
typedef int read_piece(const char *text, size_t length, void *context);

/* Reads a file to its end. 0, what piece returned, or -errno. Any thread. */
int read_pieces(int fd, read_piece *piece, void *context);

/* The same in two threads: this one does nothing but read, while another calls piece, the
 * first time with no text, before there is any. Where no other thread can be had, this one
 * does both. */
int read_pieces_ahead(int fd, read_piece *piece, void *context);

#endif
