// Suggests fixed words (verbs, options, reports) for one that a user mistyped. Names of a program's methods are suggested by
// nearest.h, which knows patterns.
#ifndef CLEW_CLI_WORDS_H
#define CLEW_CLI_WORDS_H

#include <stdbool.h>
#include <stddef.h>

enum { WORDS_LISTED = 160 };

// The suggestions so far: all words that the asked one abbreviates, or else the most similar ones.
struct words {
    const char *asked;
    size_t asked_size, apart, size;
    bool abbreviated;
    char listed[WORDS_LISTED]; // "clew report, clew replay"; empty: none
};

// Begins a search for a word of `size` bytes, which need not be NUL-terminated.
void words_init(struct words *words, const char *asked, size_t size);
// Offers a word. `lead` is written before it where it is listed.
void words_offer(struct words *words, const char *lead, const char *word);

#endif
