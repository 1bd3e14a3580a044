/* The program that the tests of `thpfix run` start, built in several ways. */
#include <stdio.h>

int main(void)
{
    return puts("started") < 0;
}
