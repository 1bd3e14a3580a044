/* glibc's malloc arenas: heaps of 64 MiB that it reserves and makes writable by and by. */
#ifndef THPFIX_DETECT_PROCESS_ARENAS_H
#define THPFIX_DETECT_PROCESS_ARENAS_H

#include "detect/process_kinds.h"
#include "detect/process_pages.h"

#define ARENA_HEAP_BYTES UINT64_C(0x4000000) /* HEAP_MAX_SIZE of 64-bit glibc */
#define ARENA_WORDS      4

/* Do these first words make a heap at address that is writable up to end? They tell the
 * arena, the heap before, the size in use and the size made writable. Pure. */
bool process_arena_proven(const uint64_t words[ARENA_WORDS], uint64_t address, uint64_t end);

/* Finds the heaps among the anonymous mappings, and marks them with what glibc keeps in
 * reserve above. What cannot be read, or proves nothing, stays as it is. pages tells what
 * can be read without making pages in the process; NULL: nothing is found. */
void process_find_arenas(pid_t pid, const struct process_pages *pages, struct process_maps *maps);

#endif
