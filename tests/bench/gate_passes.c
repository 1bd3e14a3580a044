/* gate_passes COUNT: goes through the gate of a JVM so many times, with nobody else there.
 * scripts/counts counts the instructions of it. */
#include "shim/gate.h"
#include <stdlib.h>

int main(int argc, char **argv)
{
    unsigned long count = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;

    for (unsigned long i = 0; i < count; i++)
        gate_leave(GATE_JVM, gate_enter(GATE_JVM));
    return EXIT_SUCCESS;
}
