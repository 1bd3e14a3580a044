/* What the constructor of early_threads.c found. */
#ifndef THPFIX_TESTS_BEHAVIOUR_EARLY_H
#define THPFIX_TESTS_BEHAVIOUR_EARLY_H

#include <stdbool.h>

struct early_report {
    bool ran;
    bool library_loaded;
    bool library_had_started; /* its constructor had run before this one */
    int threads;              /* made and joined in the constructor */
};

extern struct early_report early_report;

#endif
