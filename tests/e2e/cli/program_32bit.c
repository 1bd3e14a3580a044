/* A 32-bit program that needs no C library to be linked. */
void _start(void);

void _start(void)
{
    for (;;) {
    }
}
