#include "shim/cli/nearest_word.h"

#include <stddef.h>
#include <string.h>

#define WORD_MAX 32 /* longer ones are no slips of our words */

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
    unsigned least = a < b ? a : b;
    return least < c ? least : c;
}

/* Letters to add, drop, change or swap with their neighbour. */
static unsigned edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    unsigned rows[3][WORD_MAX + 1];
    unsigned *before = rows[0], *previous = rows[1], *current = rows[2];
    for (size_t j = 0; j <= b_length; j++) {
        previous[j] = (unsigned)j;
    }
    for (size_t i = 1; i <= a_length; i++) {
        current[0] = (unsigned)i;
        for (size_t j = 1; j <= b_length; j++) {
            unsigned change = previous[j - 1] + (a[i - 1] != b[j - 1]);
            current[j] = min3(previous[j] + 1, current[j - 1] + 1, change);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < current[j]) {
                current[j] = before[j - 2] + 1;
            }
        }
        unsigned *oldest = before;
        before = previous;
        previous = current;
        current = oldest;
    }
    return previous[b_length];
}

void nearest_begin(struct nearest_word *nearest, const char *text)
{
    *nearest = (struct nearest_word){.text = text};
}

void nearest_offer(struct nearest_word *nearest, const char *word)
{
    size_t text_length = strlen(nearest->text);
    size_t word_length = strlen(word);
    if (text_length > WORD_MAX || word_length > WORD_MAX) {
        return;
    }
    unsigned distance = edit_distance(nearest->text, text_length, word, word_length);
    /* An abbreviation is no worse than a slip of one letter. */
    if (text_length > 1 && distance > 1 && strncmp(nearest->text, word, text_length) == 0) {
        distance = 1;
    }
    if (nearest->best == NULL || distance < nearest->distance) {
        nearest->best = word;
        nearest->distance = distance;
    }
}

const char *nearest_result(const struct nearest_word *nearest)
{
    if (nearest->best == NULL || nearest->distance > (strlen(nearest->text) + 2) / 3) {
        return NULL;
    }
    return nearest->best;
}
