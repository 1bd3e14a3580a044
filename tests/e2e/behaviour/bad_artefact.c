/* A library that has what the preloaded library must not have: see artefact. */
#include <stdio.h>

int guarded_by_a_canary(int number);

static _Thread_local int in_a_tls_segment;

__attribute__((visibility("default"))) int guarded_by_a_canary(int number)
{
    char text[64];
    in_a_tls_segment += number;
    (void)snprintf(text, sizeof(text), "%d", in_a_tls_segment);
    return puts(text);
}
