/* What the user may have meant. Pure. */
#ifndef THPFIX_SHIM_CLI_NEAREST_WORD_H
#define THPFIX_SHIM_CLI_NEAREST_WORD_H

struct nearest_word {
    const char *text; /* what was written */
    const char *best;
    unsigned distance; /* of best; only nearer words replace it */
};

void nearest_begin(struct nearest_word *nearest, const char *text);

/* Considers a valid word; it must live as long as *nearest. */
void nearest_offer(struct nearest_word *nearest, const char *word);

/* The nearest word, the first one among equals, or NULL where none is near: more than
 * one letter in three wrong is another word, not a slip. */
const char *nearest_result(const struct nearest_word *nearest);

#endif
