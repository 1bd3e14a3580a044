/* The command line of stackload. */
#ifndef THPFIX_TESTS_LOAD_OPTIONS_H
#define THPFIX_TESTS_LOAD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#define AS_BY_DEFAULT ((size_t)-1)

enum stack_attr {
    ATTR_DEFAULT, /* attributes without a size */
    ATTR_NULL,    /* no attributes */
    ATTR_SIZE,
    ATTR_MIXED, /* 64 KiB to 64 MiB in turn */
};

struct load_options {
    size_t threads;
    enum stack_attr attr;
    size_t size_bytes;
    size_t guard_bytes; /* or AS_BY_DEFAULT */
    size_t touch_kib;   /* how much of its stack each thread uses */
    size_t settle_ms;   /* before the measurement */
    size_t heap_mib;
    size_t neighbour_kib; /* a writable mapping made before each stack */
    size_t map_room;      /* map entries to leave over, or AS_BY_DEFAULT */
    bool wait_collapse;   /* khugepaged goes over everything before the measurement */
};

/* Exits with status 2 on a bad command line. */
struct load_options load_options_parse(int argc, char **argv);

#endif
