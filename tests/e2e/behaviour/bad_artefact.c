/* A library that has what the preloaded library must not have: see artefact. */
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

int guarded_by_a_canary(int number);
size_t of_later_versions(void *to, const void *from, size_t size);

static _Thread_local int in_a_tls_segment;

__attribute__((visibility("default"))) int guarded_by_a_canary(int number)
{
    char text[64];
    in_a_tls_segment += number;
    (void)snprintf(text, sizeof(text), "%d", in_a_tls_segment);
    return puts(text);
}

/* memcpy of glibc 2.14, where there is one before it, and getrandom of 2.25. */
__attribute__((visibility("default"))) size_t of_later_versions(void *to, const void *from,
                                                                size_t size)
{
    memcpy(to, from, size);
    return (size_t)getrandom(to, size, 0) + strlen(to);
}
